// Optimal aggregation: the fewest routes with which every address keeps its next hop.
//
// This is ORTC (Draves, King, Venkatachary and Zill, "Constructing Optimal IP Routing Tables", INFOCOM 1999).
// It uses the binary trie in which each leaf has one next hop. Bottom-up, each node gets its candidates, the
// next hops that a route at its prefix may have in a smallest table: the common candidates of its halves, or
// the candidates of both if they have none in common. Top-down, a node keeps the inherited next hop if it is
// a candidate, and otherwise takes one of its candidates.
//
//              /0 {1}                        /0 -> 1
//             /      \                      /       \                                    .
//         {1,2}      {1}        becomes   keeps 1   keeps 1
//         /   \                           /     \                                        .
//       {1}   {2}                      keeps 1   -> 2
//
// The paper assumes a default route, or allows explicit "no route" entries in a table. Our tables have
// neither: an address has no route only if no route covers it. So next_hop::none is the only candidate of
// every node with such an address below it, whatever the other half has: that node and its ancestors can have
// no route. The nodes just below these are the largest prefixes in which all addresses have routes. No route
// can reach into one from above, so each is a separate problem without inheritance. One of its smallest
// tables has a route at the top (if not, move the route at the top of one of its halves up), and this is
// where the paper's proof starts. So the result is the optimum among the tables that can be expressed, not an
// approximation.
//
// Candidates depend only on the next hops of addresses, and the smallest candidate is taken. So equivalent
// tables have the same aggregate, and aggregating twice changes nothing.
//
// Only routes and forks have nodes. On the way up from a node to the next fork or route, all other halves
// have the same next hop h, that of the route above. One level up, the candidates S become {h} if h is in S,
// and the union of S and {h} if not. From two levels up on they are {h}. If h is none, they are {none}
// immediately. So there are fewer than two nodes for each route.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost {

// `sorted` and the result have canonical routes in prefix order, without duplicates and without
// next_hop::none. The result gives every address the same next hop as `sorted`, and no such table has fewer
// routes. Equivalent tables have the same aggregate.
//
// Worst-case time: O(routes x bits). Memory: up to 128 bytes for each route, and 4 for each candidate of each
// node; tables with few next hops have about one candidate for each route. Throws std::bad_alloc, and
// std::length_error above 2^32 - 1 nodes. Tests pass a lower `most_nodes`.
template <class A>
std::vector<route<A>> aggregate(std::span<const route<A>> sorted,
                                std::size_t most_nodes = std::numeric_limits<std::uint32_t>::max());

// Instantiated in the library. aggregate.inl.hpp has the definition for other widths.
extern template std::vector<route<ipv4_address>> aggregate(std::span<const route<ipv4_address>>, std::size_t);
extern template std::vector<route<ipv6_address>> aggregate(std::span<const route<ipv6_address>>, std::size_t);

} // namespace fingerpost
