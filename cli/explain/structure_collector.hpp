// The nodes of a FIB that an explanation lists, and which of them a step reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/explain/node_description.hpp"
#include "fingerpost/fib/any_fib.hpp"

namespace fingerpost::cli {

// Lists all nodes of a structure. With more than `most_whole` nodes, it lists those that cover the address or
// are read, and their nearest siblings, so that large structures need little memory.
template <class A>
class structure_collector {
  public:
    static constexpr std::size_t most_whole = 3000;
    static constexpr std::size_t most_beside = 4; // on each side
    // If more nodes than this cover the address, only the nodes that are read count.
    static constexpr std::size_t most_covering = 300;

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
    struct open_node {
        std::size_t number = 0;
        std::size_t ordinal = 0; // among the children of its parent
        std::size_t children = 0;
    };
    // Gives numbers in the order of the visit.
    class numbering {
      public:
        std::size_t add(unsigned level) {
            open_.resize(level + 1);
            open_[level] = {.number = next_, .ordinal = level > 0 ? open_[level - 1].children++ : 0};
            return next_++;
        }
        std::optional<std::size_t> parent() const {
            return open_.size() < 2 ? std::nullopt : std::optional(open_[open_.size() - 2].number);
        }
        std::size_t ordinal() const { return open_.back().ordinal; }
        // From the root to the node that was added last.
        std::span<const open_node> way() const { return open_; }

      private:
        std::vector<open_node> open_;
        std::size_t next_ = 0;
    };

    bool covers(const structure_node<A>& node) const {
        return !(address_ < node.first) && !(node.last < address_);
    }
    // A lookup that skips bits may read nodes that do not cover the address.
    bool is_read(const structure_node<A>& node) const {
        return std::any_of(reads_.begin(), reads_.end(), [&](const read& entry) {
            return entry.part == node.part && node.offset <= entry.offset &&
                   entry.offset < node.offset + node.bytes;
        });
    }

    // The number of all nodes, and which are on the path, with the children of each that are.
    void count(const any_fib<A>& fib) {
        numbering numbers;
        std::map<std::size_t, std::set<std::size_t>> covering;
        const auto add_way = [&](std::map<std::size_t, std::set<std::size_t>>& to) {
            for (std::size_t i = 0; i < numbers.way().size(); ++i) {
                to.try_emplace(numbers.way()[i].number);
                if (i > 0)
                    to[numbers.way()[i - 1].number].insert(numbers.way()[i].ordinal);
            }
        };
        const auto note = [&](const structure_node<A>& node) {
            numbers.add(node.level);
            ++found_.nodes;
            if (is_read(node))
                add_way(on_path_);
            if (covering.size() <= most_covering && covers(node))
                add_way(covering);
        };
        fib.visit(note);
        found_.is_whole = found_.nodes <= most_whole;
        if (covering.size() > most_covering)
            return;
        for (const auto& [number, children] : covering)
            on_path_[number].insert(children.begin(), children.end());
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
            const auto parent = numbers.parent();
            if (found_.is_whole || on_path_.contains(number) ||
                (parent && is_near(*parent, numbers.ordinal())))
                list(node, number, parent);
        };
        fib.visit(add);
    }

    void list(const structure_node<A>& node, std::size_t number, std::optional<std::size_t> parent) {
        explained_node result = describe_node(node, texts_);
        result.number = number;
        result.parent = parent;
        result.is_on_path = on_path_.contains(number);
        found_.listed.push_back(std::move(result));
    }

    struct read {
        std::string_view part;
        std::uint64_t offset;
    };

    A address_;
    hop_text texts_;
    std::vector<read> reads_; // of the lookup
    explained_structure found_;
    std::map<std::size_t, std::set<std::size_t>> on_path_; // nodes, with the children that are on it too
};

} // namespace fingerpost::cli
