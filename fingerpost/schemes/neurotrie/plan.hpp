// Chooses the stride of each node under a memory budget.
//
// Both choosers set a price for a byte, in visits of a node, and choose the strides that minimise the sum of
// work and price. Then bisection finds the smallest price whose trie meets the budget.
//
//     exact      cost(v) = min over s of weight(v) + price * bytes(v, s) + sum of cost(u), u s bits below v
//                for all vertices upwards, a few additions for each vertex and stride
//     learned    a rule for one vertex, from sums at that vertex: learned.hpp. Applied from the root
//                downwards to the vertices where nodes begin
//     shallow    the smallest worst depth that the budget allows, whatever the average:
//                bytes(v, d) = min over s of bytes(v, s) + sum of bytes(u, d - 1)
//
// The average depth counts each route's addresses equally. It is the sum of the weights of the trie's nodes
// divided by the number of routes. Prices only find the tries on the convex hull of memory and depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fingerpost/base/function_ref.hpp"
#include "fingerpost/schemes/neurotrie/vertices.hpp"

namespace fingerpost::neurotrie {

enum class chooser : std::uint8_t { exact, learned, shallow };

// How the stride of a node was chosen; kept in each header.
enum class choice : std::uint8_t {
    exact,
    learned,
    shallow,
    least, // for 1.25 times the least memory: no trie is as small as the budget
};

// The memory of a trie, and the length of walks in it.
struct trie_cost {
    std::uint64_t bytes = 0;
    double work = 0; // sum of the weights of all nodes
    unsigned deepest = 0;
    std::size_t nodes = 0;
};

struct plan {
    std::vector<std::uint8_t> strides; // by vertex; no meaning for vertices where no node begins
    double price = usual_price;        // of a byte
    choice made_by = choice::exact;
    trie_cost cost;

    // The price for an empty table, used for nodes that changes add.
    static constexpr double usual_price = 1e-2;
};

// The cost of a trie that begins at the last vertex of the list; `rule` returns the stride of a vertex.
trie_cost measure(const vertex_list& all, function_ref<unsigned(std::uint32_t)> rule);

// Plans a trie of at least one vertex for at most `budget` bytes, of which it leaves 1/32 to changes if it
// can. If no trie is that small, the budget becomes 1.25 times the least memory. In that case, and if another
// chooser finds no plan, the exact chooser is used. Throws std::bad_alloc.
plan plan_for_budget(const vertex_list& all, chooser by, std::uint64_t budget);

// Plans a part of a trie at the price that the whole trie was made for. Throws std::bad_alloc.
plan plan_at_price(const vertex_list& all, chooser by, double price);

} // namespace fingerpost::neurotrie
