// Eight lookups in the lanes of one AVX-512 vector: loads and population counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/input_form.hpp"

namespace fingerpost::simd {
namespace {

FINGERPOST_INLINE __m512i all_eight(long long x) {
    return _mm512_set1_epi64(x);
}

// First 64 bits of addresses `first` to `first` + 7.
template <input_form Form>
FINGERPOST_INLINE __m512i load_high(const void* addresses, std::size_t first) {
    const auto* const at = static_cast<const std::byte*>(addresses) + first * bytes_of(Form);
    if constexpr (Form == input_form::key64) {
        return _mm512_loadu_si512(at);
    } else if constexpr (Form == input_form::ipv4) {
        const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
        return _mm512_slli_epi64(_mm512_cvtepu32_epi64(eight), 32);
    } else {
        const __m512i pick = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
        return _mm512_permutex2var_epi64(_mm512_loadu_si512(at), pick, _mm512_loadu_si512(at + 64));
    }
}

// Number of set bits in each lane. The instruction for this is newer than the project's AVX-512 subset.
FINGERPOST_INLINE __m512i populations(__m512i bits) {
    const __m512i of_nibble =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i nibble = _mm512_set1_epi8(15);
    const __m512i low = _mm512_shuffle_epi8(of_nibble, _mm512_and_si512(bits, nibble));
    const __m512i high = _mm512_shuffle_epi8(of_nibble, _mm512_and_si512(_mm512_srli_epi16(bits, 4), nibble));
    return _mm512_sad_epu8(_mm512_add_epi8(low, high), _mm512_setzero_si512());
}

// g++ 12 may spill a mask at its own width and read back four bytes; see vec_avx512.hpp.
FINGERPOST_INLINE unsigned bits_of(__mmask8 mask) {
    unsigned bits = mask;
    __asm__("" : "+r"(bits));
    return bits & 0xff;
}

// Eight pairs of neighbouring words, each read by one load, which is much cheaper than two gathers. If a pair
// has `Bytes` < 16 bytes, no byte after it is read, and the rest of the second word is zero.
template <unsigned Bytes>
class eight_pairs {
    static_assert(Bytes % 4 == 0 && Bytes > 8 && Bytes <= 16);

  public:
    // `offsets` are in bytes. They are stored as whole vectors, because a masked store cannot be forwarded to
    // the loads.
    FINGERPOST_INLINE eight_pairs(const std::byte* from, __m512i offsets) {
        alignas(64) std::uint64_t at[8];
        _mm512_store_si512(at, offsets);
        even_ = four(from + at[0], from + at[2], from + at[4], from + at[6]);
        odd_ = four(from + at[1], from + at[3], from + at[5], from + at[7]);
    }
    FINGERPOST_INLINE __m512i first() const { return _mm512_unpacklo_epi64(even_, odd_); }
    FINGERPOST_INLINE __m512i second() const { return _mm512_unpackhi_epi64(even_, odd_); }

  private:
    // Separate loads even for all bytes: loads that are part of an insertion are 10 % slower.
    static FINGERPOST_INLINE __m128i load(const std::byte* at) {
        return _mm_maskz_loadu_epi32((1u << Bytes / 4) - 1, at);
    }
    static FINGERPOST_INLINE __m512i four(const std::byte* a, const std::byte* b, const std::byte* c,
                                          const std::byte* d) {
        __m512i pairs = _mm512_castsi128_si512(load(a));
        pairs = _mm512_inserti32x4(pairs, load(b), 1);
        pairs = _mm512_inserti32x4(pairs, load(c), 2);
        return _mm512_inserti32x4(pairs, load(d), 3);
    }
    __m512i even_;
    __m512i odd_;
};

} // namespace
} // namespace fingerpost::simd
