// Optimal aggregation: the fewest routes that give every address the answer it has now.
//
// This is ORTC (Draves, King, Venkatachary and Zill, "Constructing Optimal IP Routing Tables", INFOCOM 1999).
// Take the binary trie whose leaves have one answer each. Bottom-up, a node gets its candidates, the next
// hops that a route at its prefix may have in a smallest table: the common candidates of its halves, or those
// of both if they have none in common. Top-down, a node keeps the inherited next hop if that is a candidate,
// and otherwise takes one of its candidates.
//
//              /0 {1}                        /0 -> 1
//             /      \                      /       \                                    .
//         {1,2}      {1}        gives     keeps 1   keeps 1
//         /   \                           /     \                                        .
//       {1}   {2}                      keeps 1   -> 2
//
// The paper has a default route, or lets a table contain explicit "no route" entries. Our tables have
// neither: an address has no route only if no route covers it. So next_hop::none is the only candidate of
// every node with such an address below it, whatever the other half has: no route may stand there or above.
// The nodes just below these are the largest prefixes in which all addresses have routes. No route can reach
// into one from above, so each is a problem of its own, without inheritance. Some smallest table of it has a
// route at its top (if not, move the route at the top of one of its halves up), and this is where the paper's
// proof starts. So the result is the optimum among the tables that can be expressed, not an approximation.
//
// Candidates follow from answers alone, and the smallest candidate is taken. So tables with the same answers
// have the same aggregate, and aggregating twice changes nothing.
//
// Only routes and forks have nodes. On the way from a node up to the next fork or route, all other halves
// have one answer h, the next hop of the route above. One level up, the candidates S become {h} if h is in S,
// and S with h if not; from two levels up on they are {h}. With h = none they are {none} at once. So there
// are less than two nodes a route.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost {

// `sorted`: canonical routes in prefix order, each prefix once, no next hop `none`; so is the result. Its
// answers are those of `sorted` for every address, and no table with these answers has fewer routes. Tables
// with the same answers have the same aggregate.
//
// O(routes x bits) time at worst. Memory: up to 128 bytes a route, and 4 for each candidate next hop of each
// node, of which tables with few next hops have about one a route. Throws std::bad_alloc, and
// std::length_error above 2^32 - 1 nodes; `most_nodes` is for tests of that.
template <class A>
std::vector<route<A>> aggregate(std::span<const route<A>> sorted,
                                std::size_t most_nodes = std::numeric_limits<std::uint32_t>::max());

// Compiled once, in the library; aggregate.inl.hpp has the body for other widths.
extern template std::vector<route<ipv4_address>> aggregate(std::span<const route<ipv4_address>>, std::size_t);
extern template std::vector<route<ipv6_address>> aggregate(std::span<const route<ipv6_address>>, std::size_t);

} // namespace fingerpost
