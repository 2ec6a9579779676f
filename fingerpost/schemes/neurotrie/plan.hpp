// Chooses the stride of each node under a memory budget.
//
// The exact and the learned chooser set a price for a byte, in visits of a node, and choose strides that
// minimise the sum of work and price. Bisection then finds the smallest price whose trie meets the budget.
//
//     exact      cost(v) = min over s of weight(v) + price * bytes(v, s) + sum of cost(u), u s bits below v
//                for all vertices upwards, with a few additions for each vertex and stride
//     learned    a rule for one vertex, from sums at that vertex (learned.hpp). Applied from the root
//                downwards to the vertices where nodes begin
//     shallow    the smallest worst depth that the budget allows, regardless of the average:
//                bytes(v, d) = min over s of bytes(v, s) + sum of bytes(u, d - 1)
//
// The average depth gives the same weight to each route. It is the sum of the weights of the trie's nodes
// divided by the number of routes. Prices can only find tries on the convex hull of memory and depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fingerpost/base/function_ref.hpp"
#include "fingerpost/schemes/neurotrie/vertices.hpp"

namespace fingerpost::neurotrie {

enum class chooser : std::uint8_t { exact, learned, shallow };

// How the stride of a node was chosen. Stored in each header.
enum class choice : std::uint8_t {
    exact,
    learned,
    shallow,
    least, // chosen for 1.25 times the least memory, because no trie meets the budget
};

// The memory of a trie, and the lengths of its paths.
struct trie_cost {
    std::uint64_t bytes = 0;
    double work = 0; // sum of the weights of all nodes
    unsigned deepest = 0;
    std::size_t nodes = 0;
};

struct plan {
    std::vector<std::uint8_t> strides; // indexed by vertex; unspecified for vertices without a node
    double price = usual_price;        // price of a byte
    choice made_by = choice::exact;
    trie_cost cost;

    // The price for an empty table, used for nodes that changes add.
    static constexpr double usual_price = 1e-2;
};

// Returns the cost of a trie with the last vertex of the list as its root. `rule` returns the stride of a
// vertex.
trie_cost measure(const vertex_list& vertices, function_ref<unsigned(std::uint32_t)> rule);

// Plans a trie of at least one vertex for at most `budget` bytes, of which 1/32 is left for changes if
// possible. If no trie is that small, the budget becomes 1.25 times the least memory. In that case, and if
// another chooser finds no plan, the exact chooser is used. Throws std::bad_alloc.
plan plan_for_budget(const vertex_list& vertices, chooser by, std::uint64_t budget);

// Plans a part of a trie at the price of the whole trie. Throws std::bad_alloc.
plan plan_at_price(const vertex_list& vertices, chooser by, double price);

} // namespace fingerpost::neurotrie
