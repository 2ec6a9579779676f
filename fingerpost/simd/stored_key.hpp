// How keys are stored that kernels compare with vectors.
#pragma once

#include "fingerpost/simd/inline.hpp"

namespace fingerpost::simd {

// Keys are stored with their top bit flipped: their order is then the one of signed words, which every
// instruction set compares and AVX2 alone does. Twice stored is the key itself.
template <class Key>
FINGERPOST_INLINE constexpr Key stored_key(Key x) noexcept {
    return static_cast<Key>(x ^ (Key{1} << (8 * sizeof(Key) - 1)));
}

// Keys that are stored are XORed with this.
template <class Key>
inline constexpr Key bias_of = stored_key(Key{0});

} // namespace fingerpost::simd
