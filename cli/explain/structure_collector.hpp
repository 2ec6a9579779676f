// The nodes of a FIB that an explanation lists, and which of them a step reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/explain/node_description.hpp"
#include "fingerpost/fib/any_fib.hpp"

namespace fingerpost::cli {

// Of a structure of more nodes than `most_whole`, it lists those that cover the address or are read, and of
// their children the ones next to those; so a structure of any size is explained in little memory.
template <class A>
class structure_collector {
  public:
    static constexpr std::size_t most_whole = 3000;
    static constexpr std::size_t most_beside = 4; // on each side

    structure_collector(const any_fib<A>& fib, A address, hop_text texts) : address_(address), texts_(texts) {
        const auto note = [&](const trace_step& step) { reads_.push_back({step.part, step.offset}); };
        fib.trace(address, note);
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

    // A lookup that skips bits may read nodes that do not cover the address.
    bool is_on_path(const structure_node<A>& node) const {
        const bool covers = !(address_ < node.first) && !(node.last < address_);
        return covers || std::any_of(reads_.begin(), reads_.end(), [&](const read& one) {
                   return one.part == node.part && node.offset <= one.offset &&
                          one.offset < node.offset + node.bytes;
               });
    }

    // The number of all nodes, and which children of which are on the path.
    void count(const any_fib<A>& fib) {
        numbering numbers;
        const auto note = [&](const structure_node<A>& node) {
            const std::size_t number = numbers.add(node.level);
            ++found_.nodes;
            if (!is_on_path(node))
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
        explained_node told = describe_node(node, texts_);
        told.number = number;
        told.parent = parent;
        told.is_on_path = is_on_path(node);
        found_.listed.push_back(std::move(told));
    }

    struct read {
        std::string_view part;
        std::uint64_t offset;
    };

    A address_;
    hop_text texts_;
    std::vector<read> reads_; // of the lookup
    explained_structure found_;
    std::map<std::size_t, std::vector<std::size_t>> on_path_; // nodes, with the children that are on it too
};

} // namespace fingerpost::cli
