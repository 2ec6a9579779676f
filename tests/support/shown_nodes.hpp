// Checks how the visited nodes of a structure relate: visit() passes them in the promised order, their bytes
// do not overlap, and the steps of a lookup read within them.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/fib/any_fib.hpp"

namespace fingerpost::testing {

// Maps byte ranges to the nodes that occupy them.
template <class A>
class node_map {
  public:
    explicit node_map(const any_fib<A>& fib) {
        const auto note = [&](const structure_node<A>& node) {
            parts_.insert(node.part);
            if (node.bytes == 0)
                return;
            const bool is_new =
                nodes_.emplace(std::pair(node.part, node.offset), taken{node.bytes, node.first, node.last})
                    .second;
            EXPECT_TRUE(is_new) << "two nodes at " << node.offset << " of " << node.part;
        };
        fib.visit(note);
    }

    bool has_nodes(std::string_view part) const { return parts_.contains(part); }
    void expect_none_overlaps() const {
        for (auto at = nodes_.begin(); at != nodes_.end(); ++at) {
            const auto next = std::next(at);
            if (next != nodes_.end() && next->first.first == at->first.first) {
                EXPECT_LE(at->first.second + at->second.bytes, next->first.second)
                    << "nodes of " << at->first.first << " overlap";
            }
        }
    }
    struct taken {
        std::uint64_t bytes;
        A first;
        A last;
    };
    // The node that contains the bytes read by this step, or null.
    const taken* at(const trace_step& step) const {
        auto found = nodes_.upper_bound({step.part, step.offset});
        if (found == nodes_.begin())
            return nullptr;
        --found;
        const auto& [where, node] = *found;
        return where.first == step.part && step.offset + step.bytes <= where.second + node.bytes ? &node
                                                                                                 : nullptr;
    }

  private:
    std::map<std::pair<std::string_view, std::uint64_t>, taken> nodes_;
    std::set<std::string_view> parts_;
};

// The path of open nodes during a visit: the latest node of each level.
template <class A>
class open_nodes {
  public:
    void add(const structure_node<A>& node) {
        ASSERT_LE(node.level, open_.size()) << "a node before its parent";
        close(node.level);
        if (node.level > 0) {
            one& parent = open_.back();
            ASSERT_GT(parent.children, 0U) << "more children than the parent has";
            --parent.children;
            ASSERT_FALSE(node.first < parent.first || parent.last < node.last)
                << "a " << node.kind << " covers more than its parent";
            ASSERT_LE(parent.slot, node.slot) << "slots descend";
            parent.slot = node.slot;
        }
        open_.push_back({node.first, node.last, node.children, 0});
    }
    void close(std::size_t level) {
        for (; open_.size() > level; open_.pop_back())
            ASSERT_EQ(open_.back().children, 0U) << "fewer children than the parent has";
    }

  private:
    struct one {
        A first;
        A last;
        std::size_t children; // children still to come
        std::uint64_t slot;   // slot of the latest child
    };
    std::vector<one> open_;
};

} // namespace fingerpost::testing
