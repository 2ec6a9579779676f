// Runs several lookups in lockstep, for tries with few levels.
//
// In each round, every unfinished lookup takes one step and prefetches its next read, so the loads of one
// round overlap. The list of unfinished lookups is written without a branch, because the depth of an address
// is unpredictable. In contrast to lookup_interleaved(), no lane starts with a new address before all are
// finished. That costs little if depths are similar, and avoids a decision in each step.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/net/next_hop.hpp"

namespace fingerpost {

// `structure` has start(address) -> walk, step(walk&) -> bool, which returns false at the end of the walk,
// and answer(walk) -> next_hop, which is called once after that.
template <unsigned Lanes, class S, class A>
void lookup_in_rounds(const S& structure, std::span<const A> in, std::span<next_hop> out) noexcept {
    using walk = decltype(structure.start(A{}));
    std::array<walk, Lanes> walks;
    std::array<std::uint8_t, Lanes> going;
    static_assert(Lanes <= 256);
    for (std::size_t from = 0; from < in.size(); from += Lanes) {
        const std::size_t count = std::min<std::size_t>(Lanes, in.size() - from);
        for (std::size_t i = 0; i < count; ++i) {
            walks[i] = structure.start(in[from + i]);
            going[i] = static_cast<std::uint8_t>(i);
        }
        for (std::size_t left = count; left > 0;) {
            std::size_t still = 0;
            for (std::size_t i = 0; i < left; ++i) {
                const std::uint8_t lane = going[i];
                const bool goes_on = structure.step(walks[lane]);
                going[still] = lane;
                still += goes_on ? 1 : 0;
            }
            left = still;
        }
        for (std::size_t i = 0; i < count; ++i)
            out[from + i] = structure.answer(walks[i]);
    }
}

} // namespace fingerpost
