// A cache line of keys of 32 or of 64 bits, by one pair of functions over `vec`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/vec.hpp"

namespace fingerpost::simd {
namespace {

// As keys are stored: exclusive-ored with this, as some vectors compare 64 bits only as signed numbers.
template <class Key>
constexpr Key bias_of = sizeof(Key) == 4 ? 0 : static_cast<Key>(vec::key_bias);

// A key in a register, as it is in an address.
template <class Key>
FINGERPOST_INLINE auto spread_key(Key x) {
    if constexpr (sizeof(Key) == 4)
        return vec::broadcast_key(x);
    else
        return vec::broadcast(x);
}
// How many keys of a line are below it.
template <class Key, class Spread>
FINGERPOST_INLINE std::uint64_t rank_in_line(const Key* line, Spread x) {
    if constexpr (sizeof(Key) == 4)
        return vec::below<Key, 16>(reinterpret_cast<const std::byte*>(line), x);
    else
        return vec::count_below<8>(line, x);
}

} // namespace
} // namespace fingerpost::simd
