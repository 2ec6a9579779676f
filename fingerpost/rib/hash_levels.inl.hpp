// Counting for hash_levels.hpp, for the sources that use it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/rib/hash_levels.hpp"
#include "fingerpost/rib/strides.inl.hpp"

namespace fingerpost {

template <class A>
level_counts count_levels(std::span<const route<A>> sorted) {
    constexpr unsigned columns = A::bits + 1;
    std::vector<std::uint64_t> routes(columns * columns), vertices(columns * columns);
    std::array<unsigned, A::bits> cover{}; // length of the longest route at or above each open vertex
    sweep_vertices(
        sorted,
        [&](unsigned depth, std::size_t first) {
            // A route at the vertex itself directly precedes the first longer one.
            const bool is_route = first > 0 && sorted[first - 1].where.length == depth &&
                                  sorted[first - 1].where.covers(sorted[first].where);
            cover[depth] = is_route || depth == 0 ? depth : cover[depth - 1];
            ++vertices[cover[depth] * columns + depth];
        },
        [&](unsigned length, std::size_t) {
            if (length > 0)
                ++routes[cover[length - 1] * columns + length];
        },
        [](unsigned) {});
    return {A::bits, routes, vertices};
}

} // namespace fingerpost
