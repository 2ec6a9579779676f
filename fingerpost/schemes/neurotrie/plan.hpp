// Which stride each node has: the choice under a memory budget.
//
// Both choosers set a price for a byte, in visits of a node, and choose strides that make work and price
// least; then the price is bisected to the smallest one whose trie keeps the budget.
//
//      exact      cost(v) = min over s of weight(v) + price * bytes(v, s) + sum of cost(u), u s bits below v
//                 for all vertices upwards, a few additions for each vertex and stride
//      learned    a rule for one vertex, from sums at that vertex: learned.hpp. Applied from the root
//                 downwards to the vertices that nodes begin at
//      shallow    the least worst depth that the budget allows, whatever the average:
//                 bytes(v, d) = min over s of bytes(v, s) + sum of bytes(u, d - 1)
//
// The average depth of a trie, over addresses of which each route has as many as any other, is the sum of the
// weights of its nodes by the number of routes. Prices reach the tries on the hull of memory and depth only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fingerpost/base/function_ref.hpp"
#include "fingerpost/schemes/neurotrie/vertices.hpp"

namespace fingerpost::neurotrie {

enum class chooser : std::uint8_t { exact, learned, shallow };

// What tells how the stride of a node was chosen; kept in each header.
enum class choice : std::uint8_t {
    exact,
    learned,
    shallow,
    least, // for the least memory and a quarter: the budget is less than any trie takes
};

// What a trie takes, and how far lookups walk in it.
struct trie_cost {
    std::uint64_t bytes = 0;
    double work = 0; // sum of the weights of all nodes
    unsigned deepest = 0;
    std::size_t nodes = 0;
};

struct plan {
    std::vector<std::uint8_t> strides; // by vertex; of those that no node begins at, whatever
    double price = usual_price;        // of a byte
    choice made_by = choice::exact;
    trie_cost cost;

    // Of an empty table, for the nodes that changes add.
    static constexpr double usual_price = 1e-2;
};

// Of a trie that begins at the last vertex of the list; `rule` says the stride of a vertex.
trie_cost measure(const vertex_list& all, function_ref<unsigned(std::uint32_t)> rule);

// A trie of one vertex or more for `budget` bytes at most, of which it leaves a 32nd to changes where it can.
// Where no trie is as small, the budget is the least memory and a quarter; there, and where the other
// choosers find none, the plan is made exactly. Throws std::bad_alloc.
plan plan_for_budget(const vertex_list& all, chooser by, std::uint64_t budget);

// For a part of a trie, at the price that the whole one was made for. Throws std::bad_alloc.
plan plan_at_price(const vertex_list& all, chooser by, double price);

} // namespace fingerpost::neurotrie
