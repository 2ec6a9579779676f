// The first bits of 16 addresses as vectors of 32-bit words, for kernels with AVX-512.
#pragma once

#include <cstddef>
#include <immintrin.h>

#include "fingerpost/simd/inline.hpp"

namespace fingerpost::gathers {
namespace {

// First 32 bits of 16 addresses, and the next 32 bits.
struct leading_words {
    __m512i first;
    __m512i second;
};
template <bool Ipv6>
FINGERPOST_INLINE leading_words load_group(const void* addresses) {
    if constexpr (!Ipv6) {
        return {_mm512_loadu_si512(addresses), _mm512_setzero_si512()};
    } else {
        const auto* const in = static_cast<const std::byte*>(addresses);
        const __m512i a = _mm512_loadu_si512(in);
        const __m512i b = _mm512_loadu_si512(in + 64);
        const __m512i c = _mm512_loadu_si512(in + 128);
        const __m512i d = _mm512_loadu_si512(in + 192);
        // Take the upper two words of the four addresses in each of two vectors, then sort them together.
        const __m512i upper = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
        const __m512i low = _mm512_permutex2var_epi64(a, upper, b);
        const __m512i high = _mm512_permutex2var_epi64(c, upper, d);
        const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
        const __m512i even = _mm512_sub_epi32(odd, _mm512_set1_epi32(1));
        return {_mm512_permutex2var_epi32(low, odd, high), _mm512_permutex2var_epi32(low, even, high)};
    }
}

} // namespace
} // namespace fingerpost::gathers
