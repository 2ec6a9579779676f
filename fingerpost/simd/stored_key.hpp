// Storage format of keys that kernels compare with vectors.
#pragma once

#include "fingerpost/simd/inline.hpp"

namespace fingerpost::simd {

// Keys are stored with their top bit flipped. Their order is then that of signed words, which every
// instruction set can compare; AVX2 can compare no others. Applying this twice gives the key itself.
template <class Key>
FINGERPOST_INLINE constexpr Key stored_key(Key x) noexcept {
    return static_cast<Key>(x ^ (Key{1} << (8 * sizeof(Key) - 1)));
}

// Stored keys are XORed with this.
template <class Key>
inline constexpr Key bias_of = stored_key(Key{0});

} // namespace fingerpost::simd
