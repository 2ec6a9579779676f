// Loads 16 entries of chunked tables by gathers, for kernels with AVX-512.
//
// Each lane of a gather loads 32 bits: a 32-bit entry, or the aligned word that contains a 16-bit entry. So
// nothing past an array with an even number of entries is read. A chunk's entry is loaded after the entry
// that leads to it, so a FIB may be patched meanwhile, as chunked_table.hpp explains.
#pragma once

#include <cstdint>
#include <immintrin.h>

#include "fingerpost/simd/inline.hpp"

namespace fingerpost::gathers {
namespace {

FINGERPOST_INLINE __m512i all_of(std::uint32_t x) {
    return _mm512_set1_epi32(static_cast<int>(x));
}

// With two-byte entries, the upper half of a lane is undefined.
template <unsigned Bytes>
struct sixteen_entries {
    static constexpr std::uint32_t extended = std::uint32_t{1} << (Bytes * 8 - 1);

    static FINGERPOST_INLINE __m512i load(const void* array, __m512i places) {
        if constexpr (Bytes == 4)
            return _mm512_i32gather_epi32(places, array, 4);
        else
            return halves(_mm512_i32gather_epi32(_mm512_srli_epi32(places, 1), array, 4), places);
    }
    // Loads into the lanes of the mask. The others keep their value.
    static FINGERPOST_INLINE __m512i load(const void* array, __m512i places, __m512i values,
                                          __mmask16 which) {
        if constexpr (Bytes == 4) {
            return _mm512_mask_i32gather_epi32(values, which, places, array, 4);
        } else {
            const __m512i words =
                _mm512_mask_i32gather_epi32(values, which, _mm512_srli_epi32(places, 1), array, 4);
            return _mm512_mask_mov_epi32(values, which, halves(words, places));
        }
    }
    static FINGERPOST_INLINE __mmask16 lead_on(__m512i entries) {
        return _mm512_test_epi32_mask(entries, all_of(extended));
    }
    static FINGERPOST_INLINE __m512i groups(__m512i entries) {
        return _mm512_and_si512(entries, all_of(extended - 1));
    }
    static FINGERPOST_INLINE __m512i answers(__m512i entries) {
        const __m512i codes = Bytes == 4 ? entries : _mm512_and_si512(entries, all_of(std::uint32_t{0xffff}));
        return _mm512_sub_epi32(codes, all_of(1));
    }

  private:
    // Selects 16-bit entries from words of two. On x86, the odd ones are in the upper halves.
    static FINGERPOST_INLINE __m512i halves(__m512i words, __m512i places) {
        const __m512i odd = _mm512_and_si512(places, all_of(1));
        return _mm512_srlv_epi32(words, _mm512_slli_epi32(odd, 4));
    }
};

} // namespace
} // namespace fingerpost::gathers
