// The steps of the kernels that AVX-512 makes for 8 or 16 addresses at once: the index, the bitmaps, and
// writing answers. The other instruction sets take these steps address by address (kernels.inl.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/schemes/packed_leaves/view.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/input_form.hpp"

namespace fingerpost::packed_leaves {
namespace {

using namespace simd;

class wide_steps {
  public:
    static constexpr bool are_there = true;
    static constexpr bool prefetches = false; // unless the CPU wants it

    // The answers of the first regions stay in registers.
    explicit FINGERPOST_INLINE wide_steps(const code_view& codes)
        : codes_(codes), low_(_mm512_loadu_si512(codes.regions)),
          high_(_mm512_loadu_si512(codes.regions + 16)) {}

    // Takes 16 addresses through the index, like index_entry in kernels.inl.hpp.
    template <input_form Form>
    static FINGERPOST_INLINE void index_16(const index_view& view, const std::byte* in,
                                           std::uint64_t* entry) {
        const __m128i root_shift = _mm_cvtsi32_si128(static_cast<int>(view.root_shift));
        __m512i bits[2];
        __m512i at[2];
        unroll<2>([&](auto half) FINGERPOST_LAMBDA {
            bits[half.value] = first_bits_of_8<Form>(in + half.value * 8 * bytes_of(Form));
            at[half.value] = gather(view.root, _mm512_srl_epi64(bits[half.value], root_shift));
        });
        unroll<index_steps>([&](auto) FINGERPOST_LAMBDA {
            unroll<2>([&](auto half) FINGERPOST_LAMBDA {
                const __m512i shift = _mm512_and_si512(at[half.value], _mm512_set1_epi64(63));
                const __m512i base = _mm512_srai_epi64(at[half.value], step_entry::shift_bits);
                at[half.value] =
                    gather(view.pages, _mm512_add_epi64(base, _mm512_srlv_epi64(bits[half.value], shift)));
            });
        });
        unroll<2>([&](auto half)
                      FINGERPOST_LAMBDA { _mm512_storeu_si512(entry + half.value * 8, at[half.value]); });
    }

    // Whether the index leads one of these addresses to a tree.
    template <class State>
    static FINGERPOST_INLINE bool goes_on(const State& now, std::size_t count) {
        __m512i all = _mm512_load_si512(now.entry);
        for (std::size_t i = 8; i + 8 <= count; i += 8)
            all = _mm512_or_si512(all, _mm512_load_si512(now.entry + i));
        all = _mm512_or_si512(all, _mm512_loadu_si512(now.entry + count - 8));
        return _mm512_test_epi64_mask(all, _mm512_set1_epi64(0xffffffff)) != 0;
    }
    // Writes the meaning of the codes of 16 addresses, the sums of the index's and the leaves' codes, and
    // returns a mask of those that are the escape.
    template <class State>
    FINGERPOST_INLINE std::uint64_t write_16(std::uint32_t* out, const State& now, std::size_t first) const {
        __m512i code = _mm512_loadu_si512(now.found + first);
        if constexpr (requires { now.entry; })
            code = _mm512_add_epi32(code, every_second(_mm512_loadu_si512(now.entry + first),
                                                       _mm512_loadu_si512(now.entry + first + 8), 1));
        return write_16(out, code);
    }
    FINGERPOST_INLINE std::uint64_t write_16(std::uint32_t* out, __m512i code) const {
        _mm512_storeu_si512(out, answers(code));
        return escapes(code);
    }
    // The same for 8 or 16 addresses, whose upper half is written to `upper`.
    template <unsigned Count, class State>
    FINGERPOST_INLINE std::uint64_t write_halves(std::uint32_t* out, std::uint32_t* upper,
                                                 const State& now) const {
        const __m512i low = _mm512_load_si512(now.entry);
        if constexpr (Count == 16) {
            const __m512i code = _mm512_add_epi32(every_second(low, _mm512_load_si512(now.entry + 8), 1),
                                                  _mm512_load_si512(now.found));
            const __m512i answer = answers(code);
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_castsi512_si256(answer));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(upper), _mm512_extracti64x4_epi64(answer, 1));
            return escapes(code);
        } else {
            static_assert(Count == 8);
            const __m256i of_index = _mm512_cvtepi64_epi32(_mm512_srli_epi64(low, 32));
            const __m512i code = _mm512_zextsi256_si512(
                _mm256_add_epi32(of_index, _mm256_load_si256(reinterpret_cast<const __m256i*>(now.found))));
            const __m256i answer = _mm512_castsi512_si256(answers(code));
            _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_castsi256_si128(answer));
            _mm_storeu_si128(reinterpret_cast<__m128i*>(upper), _mm256_extracti128_si256(answer, 1));
            return escapes(code); // code 0 is none
        }
    }

    // The first of two steps: notes, for 16 IPv4 addresses, where their words' answers are.
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
    // The second step: writes what the codes there mean, and tells which of them are the escape.
    template <unsigned CodeBytes, bool Gathers>
    FINGERPOST_INLINE std::uint64_t write_ranked_16(std::uint32_t* out, const std::byte* codes_at,
                                                    const std::uint32_t* slots) const {
        if constexpr (Gathers)
            return write_16(out, gather_codes<CodeBytes>(codes_at, _mm512_load_si512(slots)));
        else
            return write_16(
                out, _mm512_inserti64x4(_mm512_castsi256_si512(load_8_codes<CodeBytes>(codes_at, slots)),
                                        load_8_codes<CodeBytes>(codes_at, slots + 8), 1));
    }
    // Both steps for 8 addresses: slot(i) is where the answer of address i lies. It comes by register, as
    // pairs of slots could not be read right after they were written one by one.
    template <unsigned CodeBytes, class Slot>
    FINGERPOST_INLINE std::uint64_t write_8(std::uint32_t* out, const std::byte* codes_at, Slot slot) const {
        const __m256i codes = codes_of_8<CodeBytes>(codes_at, [&](auto pair) FINGERPOST_LAMBDA {
            return two_slots{slot(2 * pair.value), slot(2 * pair.value + 1)};
        });
        const __m512i all = _mm512_zextsi256_si512(codes);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_castsi512_si256(answers(all)));
        return escapes(all);
    }

  private:
    // As in code_view::number_of().
    FINGERPOST_INLINE __m512i answers(__m512i code) const {
        const __mmask16 is_region = _mm512_cmplt_epu32_mask(code, _mm512_set1_epi32(least_regions));
        const __m512i count = _mm512_set1_epi32(static_cast<int>(codes_.region_count));
        const __m512i answer = _mm512_mask_mov_epi32(_mm512_sub_epi32(code, count), is_region,
                                                     _mm512_permutex2var_epi32(low_, code, high_));
        const __mmask16 is_far = _mm512_cmplt_epu32_mask(code, count) & _knot_mask16(is_region);
        if (is_far != 0) [[unlikely]]
            return _mm512_mask_i32gather_epi32(answer, is_far, code, codes_.regions, 4);
        return answer;
    }
    FINGERPOST_INLINE std::uint64_t escapes(__m512i code) const {
        return _mm512_cmpeq_epi32_mask(code, _mm512_set1_epi32(static_cast<int>(codes_.escape)));
    }
    template <input_form Form>
    static FINGERPOST_INLINE __m512i first_bits_of_8(const std::byte* in) {
        if constexpr (Form == input_form::ipv4)
            return _mm512_slli_epi64(
                _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(in))), 32);
        else if constexpr (Form == input_form::key64)
            return _mm512_loadu_si512(in);
        else
            return _mm512_permutex2var_epi64(_mm512_loadu_si512(in),
                                             _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15),
                                             _mm512_loadu_si512(in + 64));
    }
    static FINGERPOST_INLINE __m512i gather(const std::uint64_t* from, __m512i number) {
        return _mm512_i64gather_epi64(number, from, 8);
    }
    static FINGERPOST_INLINE __m512i gather_words(const bitmap_word* from, __m256i number) {
        static_assert(sizeof(bitmap_word) == 8);
        return _mm512_i32gather_epi64(number, from, 8);
    }
    // Codes of less than four bytes come out of the aligned word that they lie in, so that nothing past the
    // array's last word is read.
    template <unsigned CodeBytes>
    static FINGERPOST_INLINE __m512i gather_codes(const std::byte* from, __m512i slot) {
        if constexpr (CodeBytes == 4) {
            return _mm512_i32gather_epi32(slot, from, 4);
        } else {
            constexpr unsigned log_codes = CodeBytes == 2 ? 1 : 2; // of how many there are in a word
            constexpr unsigned log_bits = CodeBytes == 2 ? 4 : 3;
            const __m512i word = _mm512_i32gather_epi32(_mm512_srli_epi32(slot, log_codes), from, 4);
            const __m512i shift =
                _mm512_slli_epi32(_mm512_and_si512(slot, _mm512_set1_epi32((1 << log_codes) - 1)), log_bits);
            return _mm512_and_si512(_mm512_srlv_epi32(word, shift),
                                    _mm512_set1_epi32((1 << (8 * CodeBytes)) - 1));
        }
    }

    // Without gathers. Addresses and slots are loaded two at a time, because the loads limit the speed of a
    // lookup.
    static FINGERPOST_INLINE std::uint64_t load_pair(const std::uint32_t* from) {
        std::uint64_t two;
        __builtin_memcpy(&two, from, sizeof two);
        return two;
    }
    static FINGERPOST_INLINE __m256i both_halves(__m128i low, __m128i high) {
        return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
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
    struct two_slots {
        std::uint64_t first;
        std::uint64_t second;
    };
    template <unsigned CodeBytes>
    static FINGERPOST_INLINE __m256i load_8_codes(const std::byte* codes_at, const std::uint32_t* slots) {
        return codes_of_8<CodeBytes>(codes_at, [&](auto pair) FINGERPOST_LAMBDA {
            const std::uint64_t two = load_pair(slots + 2 * pair.value);
            return two_slots{static_cast<std::uint32_t>(two), two >> 32};
        });
    }
    // Slots of pair 0 to 3 -> 8 codes, widened.
    template <unsigned CodeBytes, class Slots>
    static FINGERPOST_INLINE __m256i codes_of_8(const std::byte* codes_at, Slots slots) {
        if constexpr (CodeBytes == 4) {
            return both_halves(side_by_side<4, 0, 2>(codes_at, slots),
                               side_by_side<4, 2, 2>(codes_at, slots));
        } else {
            const __m128i codes = side_by_side<CodeBytes, 0, 4>(codes_at, slots);
            return CodeBytes == 2 ? _mm256_cvtepu16_epi32(codes) : _mm256_cvtepu8_epi32(codes);
        }
    }
    // The codes of some pairs, from the first byte on.
    template <unsigned CodeBytes, unsigned First, unsigned Pairs, class Slots>
    static FINGERPOST_INLINE __m128i side_by_side(const std::byte* codes_at, Slots slots) {
        __m128i codes = _mm_setzero_si128();
        unroll<Pairs>([&](auto pair) FINGERPOST_LAMBDA {
            const two_slots two = slots(constant<First + pair.value>{});
            codes = insert<CodeBytes, 2 * pair.value>(codes, codes_at + two.first * CodeBytes);
            codes = insert<CodeBytes, 2 * pair.value + 1>(codes, codes_at + two.second * CodeBytes);
        });
        return codes;
    }
    template <unsigned Bytes, unsigned Lane>
    static FINGERPOST_INLINE __m128i insert(__m128i to, const std::byte* from) {
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
    // The even (0) or odd (1) 32-bit words of two vectors.
    static FINGERPOST_INLINE __m512i every_second(__m512i low, __m512i high, int first) {
        const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        return _mm512_permutex2var_epi32(low, _mm512_add_epi32(even, _mm512_set1_epi32(first)), high);
    }
    // The number of set bits in each 32-bit word: a table lookup for each four bits, then sums. No vpopcntd:
    // the file is compiled for AVX-512 F, BW, DQ and VL only.
    static FINGERPOST_INLINE __m512i bits_in_each(__m512i words) {
        const __m512i counts =
            _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        const __m512i half = _mm512_set1_epi8(15);
        const __m512i low = _mm512_shuffle_epi8(counts, _mm512_and_si512(words, half));
        const __m512i high = _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi16(words, 4), half));
        const __m512i pairs = _mm512_maddubs_epi16(_mm512_add_epi8(low, high), _mm512_set1_epi8(1));
        return _mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
    }

    code_view codes_;
    __m512i low_;
    __m512i high_;
};

} // namespace
} // namespace fingerpost::packed_leaves
