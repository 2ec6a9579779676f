// Shuffle masks with which x86 reverses the bytes of numbers.
#pragma once

#include <cstddef>
#include <immintrin.h>

#include "fingerpost/simd/inline.hpp"

namespace fingerpost::simd {
namespace {

// For 16 bytes that contain numbers of `Width` bytes.
template <std::size_t Width>
FINGERPOST_INLINE __m128i byte_swap_order() {
    static_assert(Width == 4 || Width == 16);
    return Width == 4 ? _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)
                      : _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

} // namespace
} // namespace fingerpost::simd
