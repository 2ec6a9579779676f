// Plain binary search in the first column, for one address or for several in lockstep.
//
// No address is above the last point, so the result is always among the remaining points. Each step drops
// half of them with a multiplication, because a branch would be mispredicted half of the time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/schemes/binary_search_on_prefixes/view.hpp"

namespace fingerpost::binary_search_on_prefixes {

// Finds, for each sought key, the rank of the first of `count` keys that is not below it. Such a key must
// exist.
template <class A, unsigned Lanes, class Read, class Key>
void find_by_halving(Read&& read, const Key* keys, std::size_t count, const Key* sought, std::size_t* ranks) {
    for (unsigned lane = 0; lane < Lanes; ++lane)
        ranks[lane] = 0;
    while (count > 1) {
        const std::size_t half = count / 2;
        count -= half;
        for (unsigned lane = 0; lane < Lanes; ++lane) {
            const std::size_t at = ranks[lane];
            const Key& probed = read(keys, at + half - 1);
            read.tell([&](auto& step) {
                step.looks_at(0, 64);
                step.compares_keys(in_step<A>(sought[lane]), {in_step<A>(probed)});
            });
            const std::size_t next = at + half * (probed < sought[lane] ? 1 : 0);
            // The next probe's place depends only on `next`.
            if constexpr (Lanes > 1)
                __builtin_prefetch(keys + next + count / 2 - (count > 1 ? 1 : 0));
            ranks[lane] = next;
        }
    }
}

} // namespace fingerpost::binary_search_on_prefixes
