// Optimal aggregation: the fewest routes that give every address the answer it has now.
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
