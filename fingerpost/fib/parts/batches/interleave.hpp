// Interleaves several pointer-chasing lookups on one core to overlap their cache misses.
//
// In each turn a walk does one dependent load and prefetches the next node, which has arrived by its next
// turn. When a walk ends, its lane immediately starts with the next address, because walks differ in length.
//
// Source: O. Kocberber, B. Falsafi, B. Grot, Asynchronous memory access chaining, PVLDB 9(4), 2015.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "fingerpost/fib/layout.hpp"

namespace fingerpost {

// `structure` has start(address) -> walk and step(walk&, read) -> bool, where `read` is a reader of
// fib/layout.hpp. When step returns false, walk.best is the result.
template <class S, class A, class Read>
next_hop find_by_steps(const S& structure, A a, Read&& read) {
    auto way = structure.start(a);
    while (structure.step(way, read)) {
    }
    return way.best;
}
template <unsigned Lanes, class S, class A>
void lookup_interleaved(const S& structure, std::span<const A> in, std::span<next_hop> out) noexcept {
    using walk = decltype(structure.start(A{}));
    struct lane {
        walk way;
        std::size_t at;
    };
    const plain_reads read;
    std::array<lane, Lanes> lanes;
    std::size_t next = std::min<std::size_t>(Lanes, in.size());
    std::size_t busy = next;
    for (std::size_t i = 0; i < busy; ++i)
        lanes[i] = {structure.start(in[i]), i};
    while (busy > 0) {
        for (std::size_t i = 0; i < busy;) {
            lane& l = lanes[i];
            if (structure.step(l.way, read)) {
                ++i;
                continue;
            }
            out[l.at] = l.way.best;
            if (next < in.size()) {
                l = {structure.start(in[next]), next};
                ++next;
                ++i;
            } else {
                l = lanes[--busy];
            }
        }
    }
}

} // namespace fingerpost
