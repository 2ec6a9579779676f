// A cache line of keys of 32 or 64 bits: one pair of functions for both, over `vec`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/vec.hpp"

namespace fingerpost::simd {
namespace {

// A key in a register, in the form that addresses have.
template <class Key>
FINGERPOST_INLINE auto spread_key(Key x) {
    if constexpr (sizeof(Key) == 4)
        return vec::broadcast_key(x);
    else
        return vec::broadcast(x);
}
// The number of keys of a line that are below it.
template <class Key, class Spread>
FINGERPOST_INLINE std::uint64_t rank_in_line(const Key* line, Spread x) {
    if constexpr (sizeof(Key) == 4)
        return vec::below<Key, 16>(reinterpret_cast<const std::byte*>(line), x);
    else
        return vec::count_below<8>(line, x);
}

} // namespace
} // namespace fingerpost::simd
