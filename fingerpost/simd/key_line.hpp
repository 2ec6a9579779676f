// Operations on a cache line of 32-bit or 64-bit keys, over `vec`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/vec.hpp"

namespace fingerpost::simd {
namespace {

// Returns a key in a register, in the form of addresses.
template <class Key>
FINGERPOST_INLINE auto spread_key(Key x) {
    if constexpr (sizeof(Key) == 4)
        return vec::broadcast_key(x);
    else
        return vec::broadcast(x);
}
// Number of keys in the line that are below `x`.
template <class Key, class Spread>
FINGERPOST_INLINE std::uint64_t rank_in_line(const Key* line, Spread x) {
    if constexpr (sizeof(Key) == 4)
        return vec::below<Key, 16>(reinterpret_cast<const std::byte*>(line), x);
    else
        return vec::count_below<8>(line, x);
}

} // namespace
} // namespace fingerpost::simd
