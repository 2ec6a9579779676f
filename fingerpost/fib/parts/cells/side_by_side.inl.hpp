// Loads codes from separate places into the lanes of a vector. Included by files that are compiled for AVX2
// or AVX-512.
//
// Storing the codes singly and loading them as a vector takes as many instructions, but the vector load then
// waits until all the stores have reached the cache: it cannot be forwarded from several of them. This wait
// was 40 % of a lookup that ends at the root of packed leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/simd/inline.hpp"

namespace fingerpost::cells {
namespace {

using namespace simd;

template <unsigned Bytes, unsigned Lane>
FINGERPOST_INLINE __m128i insert(__m128i to, const std::byte* from) {
    if constexpr (Bytes == 1) {
        return _mm_insert_epi8(to, static_cast<int>(*from), Lane);
    } else if constexpr (Bytes == 2) {
        std::uint16_t value;
        __builtin_memcpy(&value, from, sizeof value);
        return _mm_insert_epi16(to, value, Lane);
    } else {
        std::int32_t value;
        __builtin_memcpy(&value, from, sizeof value);
        return _mm_insert_epi32(to, value, Lane);
    }
}
// The codes of `Bytes` bytes at place(constant<First>) and at the next places, packed into bytes.
template <unsigned Bytes, unsigned First, unsigned Count, class Place>
FINGERPOST_INLINE __m128i side_by_side(Place place) {
    __m128i codes = _mm_setzero_si128();
    unroll<Count>([&](auto lane) FINGERPOST_LAMBDA {
        codes = insert<Bytes, lane.value>(codes, place(constant<First + lane.value>{}));
    });
    return codes;
}
FINGERPOST_INLINE __m256i both_halves(__m128i low, __m128i high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}
// The codes at place(constant<First>) and at the next 7 places, widened.
template <unsigned Bytes, unsigned First, class Place>
FINGERPOST_INLINE __m256i load_8_codes(Place place) {
    if constexpr (Bytes == 4)
        return both_halves(side_by_side<4, First, 4>(place), side_by_side<4, First + 4, 4>(place));
    else if constexpr (Bytes == 2)
        return _mm256_cvtepu16_epi32(side_by_side<2, First, 8>(place));
    else
        return _mm256_cvtepu8_epi32(side_by_side<1, First, 8>(place));
}

} // namespace
} // namespace fingerpost::cells
