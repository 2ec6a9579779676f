// The nodes of a FIB that an explanation lists, and which of them a step reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/explain/address_part.hpp"
#include "cli/explain/explanation.hpp"
#include "fingerpost/base/function_ref.hpp"
#include "fingerpost/fib/any_fib.hpp"

namespace fingerpost::cli {

// The text of a next hop as the table has it.
using hop_text = function_ref<std::string(next_hop)>;

// The prefix that has exactly these addresses, or nothing.
template <class A>
std::optional<prefix<A>> prefix_of(A first, A last) {
    unsigned length = 0;
    while (length < A::bits && slice(first, length, 1) == slice(last, length, 1))
        ++length;
    const auto found = prefix<A>::make(first, length);
    if (found.first() == first && found.last() == last)
        return found;
    return std::nullopt;
}

// Of a structure of more nodes than `most_whole`, it lists those that cover the address and of their children
// the ones next to those; so a structure of any size is explained in little memory.
template <class A>
class structure_collector {
  public:
    static constexpr std::size_t most_whole = 3000;
    static constexpr std::size_t most_beside = 4; // on each side

    structure_collector(const any_fib<A>& fib, A address, hop_text texts) : address_(address), texts_(texts) {
        count(fib);
        list(fib);
    }

    // None if the read is in no node.
    const explained_node* node_of(const trace_step& step) const {
        for (const explained_node& node : found_.listed)
            if (node.part == step.part && node.offset <= step.offset &&
                step.offset < node.offset + node.bytes)
                return &node;
        return nullptr;
    }
    explained_structure take() && { return std::move(found_); }

  private:
    // Gives numbers in the order of the visit.
    class numbering {
      public:
        std::size_t add(unsigned level) {
            open_.resize(level + 1);
            open_[level] = {next_, 0};
            if (level > 0)
                ordinal_ = open_[level - 1].children++;
            return next_++;
        }
        std::optional<std::size_t> parent_of(unsigned level) const {
            return level == 0 ? std::nullopt : std::optional(open_[level - 1].number);
        }
        std::size_t ordinal() const { return ordinal_; } // among the children of its parent

      private:
        struct open_node {
            std::size_t number = 0;
            std::size_t children = 0;
        };
        std::vector<open_node> open_;
        std::size_t next_ = 0;
        std::size_t ordinal_ = 0;
    };

    bool covers(const structure_node<A>& node) const {
        return !(address_ < node.first) && !(node.last < address_);
    }

    // The number of all nodes, and which children of which are on the path.
    void count(const any_fib<A>& fib) {
        numbering numbers;
        const auto note = [&](const structure_node<A>& node) {
            const std::size_t number = numbers.add(node.level);
            ++found_.nodes;
            if (!covers(node))
                return;
            on_path_.try_emplace(number);
            if (const auto parent = numbers.parent_of(node.level))
                on_path_[*parent].push_back(numbers.ordinal());
        };
        fib.visit(note);
        found_.is_whole = found_.nodes <= most_whole;
    }

    bool is_near(std::size_t parent, std::size_t ordinal) const {
        const auto above = on_path_.find(parent);
        if (above == on_path_.end())
            return false;
        if (above->second.empty())
            return ordinal < 2 * most_beside;
        return std::any_of(above->second.begin(), above->second.end(), [&](std::size_t at) {
            return ordinal + most_beside >= at && ordinal <= at + most_beside;
        });
    }

    void list(const any_fib<A>& fib) {
        numbering numbers;
        const auto add = [&](const structure_node<A>& node) {
            const std::size_t number = numbers.add(node.level);
            const auto parent = numbers.parent_of(node.level);
            if (found_.is_whole || on_path_.contains(number) ||
                (parent && is_near(*parent, numbers.ordinal())))
                list(node, number, parent);
        };
        fib.visit(add);
    }

    void list(const structure_node<A>& node, std::size_t number, std::optional<std::size_t> parent) {
        const auto same = prefix_of(node.first, node.last);
        explained_node& told =
            found_.listed.emplace_back(explained_node{.number = number,
                                                      .parent = parent,
                                                      .slot = node.slot,
                                                      .level = node.level,
                                                      .kind = std::string(node.kind),
                                                      .part = std::string(node.part),
                                                      .offset = node.offset,
                                                      .bytes = node.bytes,
                                                      .first = to_string(node.first),
                                                      .last = to_string(node.last),
                                                      .prefix = same ? to_string(*same) : "",
                                                      .first_bit = node.first_bit,
                                                      .bits = node.bits,
                                                      .children = node.children,
                                                      .is_on_path = covers(node)});
        node_contents held;
        node.contents(held);
        told.with = held.with;
        told.padding = held.padding;
        const unsigned width = std::min(node.bits, 64U);
        for (const std::uint64_t value : held.values)
            told.values.push_back(held.with == compared::keys && width > 0
                                      ? part_of_address<A>(value, node.first_bit, width)
                                      : fmt::format("{:#x}", value));
        if (held.with == compared::bitmap)
            told.words = std::move(held.values);
        for (const node_contents::answer& one : held.answers)
            told.answers.push_back({one.slot, one.hop == next_hop::none ? std::string() : texts_(one.hop)});
        for (const node_contents::number& one : held.numbers)
            told.numbers.emplace_back(one.name, one.value);
    }

    A address_;
    hop_text texts_;
    explained_structure found_;
    std::map<std::size_t, std::vector<std::size_t>> on_path_; // nodes, with the children that are on it too
};

} // namespace fingerpost::cli
