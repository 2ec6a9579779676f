// Kernel steps that AVX-512 performs on 8 or 16 addresses at a time. Other instruction sets take these steps
// address by address (kernels.inl.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/fib/parts/cells/wide_codes.inl.hpp"
#include "fingerpost/schemes/ranked_cells/view.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::ranked_cells {
namespace {

using namespace simd;

class wide_steps : public wide_codes {
  public:
    using wide_codes::wide_codes;

    // First step: computes the slots of the codes for 16 IPv4 addresses.
    template <bool Gathers>
    static FINGERPOST_INLINE void rank_16(const bitmap_view& view, const std::uint32_t* in,
                                          std::uint32_t* slots) {
        const __m512i address = _mm512_loadu_si512(in);
        __m512i low;
        __m512i high;
        if constexpr (Gathers) {
            const __m512i number = _mm512_srli_epi32(address, 32 - word_index_bits);
            low = gather_words(view.words, _mm512_castsi512_si256(number));
            high = gather_words(view.words, _mm512_extracti64x4_epi64(number, 1));
        } else {
            low = load_words(view.words, in);
            high = load_words(view.words, in + 8);
        }
        const __m512i cell =
            _mm512_and_si512(_mm512_srli_epi32(address, 32 - cell_bits), _mm512_set1_epi32(word_cells - 1));
        const __m512i before =
            _mm512_andnot_si512(_mm512_sllv_epi32(_mm512_set1_epi32(-1), cell), every_second(low, high, 0));
        _mm512_store_si512(slots, _mm512_add_epi32(every_second(low, high, 1), bits_in_each(before)));
    }
    // Second step: reads the codes, writes the results, and returns a mask of the escapes.
    template <unsigned CodeBytes, bool Gathers>
    FINGERPOST_INLINE std::uint64_t write_ranked_16(std::uint32_t* out, const std::byte* codes_at,
                                                    const std::uint32_t* slots) const {
        if constexpr (Gathers)
            return write_16(out, gather_codes<CodeBytes>(codes_at, _mm512_load_si512(slots)));
        else
            return write_16(out, load<16, CodeBytes>([&](auto lane) FINGERPOST_LAMBDA {
                                const std::uint64_t two = load_pair(slots + lane.value / 2 * 2);
                                const std::uint64_t slot =
                                    lane.value % 2 == 0 ? static_cast<std::uint32_t>(two) : two >> 32;
                                return codes_at + slot * CodeBytes;
                            }));
    }

  private:
    static FINGERPOST_INLINE __m512i gather_words(const bitmap_word* from, __m256i number) {
        static_assert(sizeof(bitmap_word) == 8);
        return _mm512_i32gather_epi64(number, from, 8);
    }
    // Codes of less than four bytes are extracted from the aligned word around them, so that reads do not go
    // past the last word of the array.
    template <unsigned CodeBytes>
    static FINGERPOST_INLINE __m512i gather_codes(const std::byte* from, __m512i slot) {
        if constexpr (CodeBytes == 4) {
            return _mm512_i32gather_epi32(slot, from, 4);
        } else {
            constexpr unsigned log_codes = CodeBytes == 2 ? 1 : 2; // log2 of the number of codes in a word
            constexpr unsigned log_bits = CodeBytes == 2 ? 4 : 3;
            const __m512i word = _mm512_i32gather_epi32(_mm512_srli_epi32(slot, log_codes), from, 4);
            const __m512i shift =
                _mm512_slli_epi32(_mm512_and_si512(slot, _mm512_set1_epi32((1 << log_codes) - 1)), log_bits);
            return _mm512_and_si512(_mm512_srlv_epi32(word, shift),
                                    _mm512_set1_epi32((1 << (8 * CodeBytes)) - 1));
        }
    }

    // Without gathers. Addresses and slots are loaded two at a time, because loads limit the speed of a
    // lookup.
    static FINGERPOST_INLINE std::uint64_t load_pair(const std::uint32_t* from) {
        std::uint64_t two;
        __builtin_memcpy(&two, from, sizeof two);
        return two;
    }
    static FINGERPOST_INLINE __m512i load_words(const bitmap_word* words, const std::uint32_t* in) {
        __m128i two[4];
        unroll<4>([&](auto pair) FINGERPOST_LAMBDA {
            const std::uint64_t addresses = load_pair(in + 2 * pair.value);
            const bitmap_word* const first =
                words + (static_cast<std::uint32_t>(addresses) >> (32 - word_index_bits));
            const bitmap_word* const second = words + (addresses >> (64 - word_index_bits));
            const __m128i low = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(first));
            two[pair.value] = _mm_castpd_si128(
                _mm_loadh_pd(_mm_castsi128_pd(low), reinterpret_cast<const double*>(second)));
        });
        return _mm512_inserti64x4(_mm512_castsi256_si512(both_halves(two[0], two[1])),
                                  both_halves(two[2], two[3]), 1);
    }
    // Number of set bits in each 32-bit word: a table lookup for each four bits, then sums. vpopcntd is not
    // available, because the file is compiled for AVX-512 F, BW, DQ and VL only.
    static FINGERPOST_INLINE __m512i bits_in_each(__m512i words) {
        const __m512i counts =
            _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        const __m512i half = _mm512_set1_epi8(15);
        const __m512i low = _mm512_shuffle_epi8(counts, _mm512_and_si512(words, half));
        const __m512i high = _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi16(words, 4), half));
        const __m512i pairs = _mm512_maddubs_epi16(_mm512_add_epi8(low, high), _mm512_set1_epi8(1));
        return _mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
    }
};

} // namespace
} // namespace fingerpost::ranked_cells
