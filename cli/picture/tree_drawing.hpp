// Draws the nodes of a FIB as a tree. A node is placed at the middle of its addresses and at the number of
// bits decided so far, with an edge to its parent.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "cli/picture/address_axis.hpp"
#include "cli/picture/density_grid.hpp"
#include "cli/picture/dial.hpp"
#include "fingerpost/fib/any_fib.hpp"

namespace fingerpost::cli {

// The number of bits that narrow a lookup to these addresses: the length of their prefix, or, if they do not
// form a prefix, of one of the same size.
template <class A>
double decided_bits(A first, A last) noexcept {
    const unsigned common = common_length(first, last);
    const auto where = prefix<A>::make(first, common);
    if (where.first() == first && where.last() == last)
        return common;
    return A::bits - std::log2(static_cast<double>(last.value - first.value) + 1);
}

// An array indexed by bits, with too many children to draw edges.
struct drawn_table {
    double bits = 0; // radius of its slots
    double from = 0; // shares of the axis, from 0 to 1
    double to = 0;
};

struct drawn_tree {
    density_grid edges;
    density_grid leaves;
    std::vector<drawn_table> tables{};
    std::size_t nodes = 0;
    std::size_t outside = 0; // nodes beyond the rim, which are not drawn
    unsigned levels = 0;

    explicit drawn_tree(unsigned side) : edges(side), leaves(side) {}
};

// The path from the root to the node that a FIB visited last. visit() is depth-first, so a node's parent is
// the latest node of the level above.
template <class Node>
class open_way {
  public:
    // Adds a node and returns its parent, or null at the root. Calls `done(node)` for each node whose
    // children are all added, before removing it. The parent is valid until the next call.
    template <class Done>
    Node* add(unsigned level, Node node, Done done) {
        close(level, done);
        nodes_.push_back(std::move(node));
        return level > 0 ? &nodes_[level - 1] : nullptr;
    }
    // Removes the nodes of this level and deeper ones.
    template <class Done>
    void close(unsigned level, Done done) {
        for (; nodes_.size() > level; nodes_.pop_back())
            done(nodes_.back());
    }

  private:
    std::vector<Node> nodes_;
};

// The array that a lookup indexes first, if there is one.
struct root_table {
    std::string_view part{}; // name in memory_parts()
    unsigned bits = 0;       // number of index bits; 0 without an array
};
template <class A>
root_table root_table_of(const any_fib<A>& fib) {
    root_table array;
    bool is_first = true;
    const auto look = [&](const trace_step& step) {
        if (is_first && step.with == compared::nothing && step.first_bit == 0)
            array = {step.part, step.bits};
        is_first = false;
    };
    fib.trace(A::first(), look);
    return array;
}

template <class A>
drawn_tree draw_tree(const any_fib<A>& fib, const address_axis<A>& axis, const dial& place, unsigned side) {
    // More edges than a node with 8 bits per step has would fill the middle of the picture.
    constexpr unsigned most_bits = 8;
    const root_table root = root_table_of(fib);
    struct node {
        double bits, from, to;
        bool is_table;
        double below = std::numeric_limits<double>::infinity(); // fewest bits of a child or a slot

        double middle() const { return dial::angle((from + to) / 2); }
    };
    drawn_tree drawn(side);
    open_way<node> way;
    const double tick = place.side() * 0.006;
    const auto finish = [&](const node& n) {
        if (n.is_table && place.radius(n.below) <= place.rim())
            drawn.tables.push_back({n.below, n.from, n.to});
    };
    const auto draw = [&](const structure_node<A>& visited) {
        node current{.bits = decided_bits(visited.first, visited.last),
                     .from = axis.before(visited.first),
                     .to = axis.through(visited.last),
                     .is_table = visited.children > 1U << most_bits};
        if (visited.level == 0 && root.bits > most_bits && visited.part == root.part) {
            current.is_table = true;
            current.below = root.bits;
        }
        node* const parent = way.add(visited.level, current, finish);
        // Unused nodes of a full tree, which no lookup reaches.
        if (visited.kind == "padding")
            return;
        ++drawn.nodes;
        drawn.levels = std::max(drawn.levels, visited.level + 1);
        const double radius = place.radius(current.bits), angle = current.middle();
        const bool is_inside = radius <= place.rim() * 1.0001;
        drawn.outside += is_inside ? 0 : 1;
        if (parent != nullptr) {
            parent->below = std::min(parent->below, current.bits);
            const double start = place.radius(parent->bits);
            if (!parent->is_table && start < place.rim()) {
                drawn.edges.add_arc(start, parent->middle(), angle);
                drawn.edges.add_radial(angle, start, std::min(radius, place.rim()));
            }
        }
        if (visited.children == 0 && !current.is_table && is_inside && radius > 0)
            drawn.leaves.add_radial(angle, radius, radius + tick);
    };
    fib.visit(draw);
    way.close(0, finish);
    return drawn;
}

} // namespace fingerpost::cli
