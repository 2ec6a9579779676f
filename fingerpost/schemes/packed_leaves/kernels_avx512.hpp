// The steps of the kernels that AVX-512 makes for 16 addresses at once, with gathers: the index, the bitmaps,
// and the writing of answers. The other instruction sets take these steps lane by lane (kernels.inl.hpp).
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

struct wide_steps {
    static constexpr bool are_there = true;

    // Groups of 16 addresses through the index of packed leaves; as index_one in kernels.inl.hpp. Three
    // gathers a group, each waiting for the last, so the groups alternate. Tells which groups go on, a
    // bit each; `count` is below 16 only if Part is set, and there is one group then.
    template <input_form Form, unsigned Groups, bool Part>
    static FINGERPOST_INLINE unsigned index(const index_view& view, const std::byte* in, std::uint32_t* code,
                                            std::uint32_t* at, std::size_t count) {
        static_assert(!Part || Groups == 1);
        const unsigned present = Part ? (1u << count) - 1 : 0xffff;
        const __m128i root_shift = _mm_cvtsi32_si128(static_cast<int>(view.root_shift));
        const __m128i root_bits = _mm_cvtsi32_si128(static_cast<int>(32 - view.root_shift));
        const std::uint32_t* const pages = view.pages;
        __m512i left[Groups];
        __m512i entry[Groups];
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr std::size_t g = group.value;
            const first_words words = load_first<Form, Part>(in + g * 16 * bytes_of(Form), present);
            left[g] = _mm512_or_si512(_mm512_sll_epi32(words.first, root_bits),
                                      _mm512_srl_epi32(words.second, root_shift));
            entry[g] = gather(view.root, _mm512_srl_epi32(words.first, root_shift));
        });
        unroll<index_steps>([&](auto) FINGERPOST_LAMBDA {
            unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
                constexpr std::size_t g = group.value;
                const __m512i shift = _mm512_and_si512(entry[g], _mm512_set1_epi32(entry_shape::shift_mask));
                const __m512i slot = _mm512_add_epi32(_mm512_srli_epi32(entry[g], entry_shape::shift_bits),
                                                      _mm512_srlv_epi32(left[g], shift));
                left[g] = _mm512_sllv_epi32(left[g], _mm512_sub_epi32(_mm512_set1_epi32(32), shift));
                entry[g] = gather(pages, slot);
            });
        });
        unsigned live = 0;
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr std::size_t g = group.value;
            const __mmask16 done = _mm512_test_epi32_mask(entry[g], _mm512_set1_epi32(done_bit));
            _mm512_store_si512(code + g * 16, _mm512_maskz_srli_epi32(done, entry[g], 1));
            _mm512_store_si512(at + g * 16, _mm512_maskz_mov_epi32(_knot_mask16(done), entry[g]));
            live |= unsigned{(present & ~unsigned{done}) != 0} << g;
        });
        return live;
    }

    // Writes 16 codes, each less by one, and tells whether one of them is `escape`. A code is the sum of what
    // is said of it in one place or two.
    template <class... More>
    static FINGERPOST_INLINE bool write_16(std::uint32_t* out, std::uint32_t escape,
                                           const std::uint32_t* codes, const More*... more) {
        __m512i all = _mm512_load_si512(codes);
        ((all = _mm512_add_epi32(all, _mm512_load_si512(more))), ...);
        _mm512_storeu_si512(out, _mm512_sub_epi32(all, _mm512_set1_epi32(1)));
        return _mm512_cmpeq_epi32_mask(all, _mm512_set1_epi32(static_cast<int>(escape))) != 0;
    }

    // Groups of 16 IPv4 addresses by their words; writes their codes, each less by one, and tells which of
    // them are `escape`, a bit each. Nothing is asked for ahead: with so few instructions a lookup the
    // processor has the loads of several groups under way by itself.
    template <unsigned AnswerBytes, unsigned Groups>
    static FINGERPOST_INLINE std::uint64_t rank(const bitmap_view& view, const std::uint32_t* in,
                                                std::uint32_t* out, std::uint32_t escape) {
        __m512i slot[Groups];
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr std::size_t g = group.value;
            const __m512i address = _mm512_loadu_si512(in + g * 16);
            const __m512i number = _mm512_srli_epi32(address, 32 - word_index_bits);
            const __m512i low = gather_words(view.words, _mm512_castsi512_si256(number));
            const __m512i high = gather_words(view.words, _mm512_extracti64x4_epi64(number, 1));
            const __m512i cell = _mm512_and_si512(_mm512_srli_epi32(address, 32 - cell_bits),
                                                  _mm512_set1_epi32(word_cells - 1));
            const __m512i before = _mm512_andnot_si512(_mm512_sllv_epi32(_mm512_set1_epi32(-1), cell),
                                                       every_second(low, high, 0));
            slot[g] = _mm512_add_epi32(every_second(low, high, 1), bits_in_each(before));
        });
        __mmask16 escaped[Groups];
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr std::size_t g = group.value;
            const __m512i code = gather_codes<AnswerBytes>(view.answers, slot[g]);
            _mm512_storeu_si512(out + g * 16, _mm512_sub_epi32(code, _mm512_set1_epi32(1)));
            escaped[g] = _mm512_cmpeq_epi32_mask(code, _mm512_set1_epi32(static_cast<int>(escape)));
        });
        std::uint64_t which = 0;
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            which |= std::uint64_t{escaped[group.value]} << (group.value * 16);
        });
        return which;
    }

  private:
    // The first and the second 32 bits of 16 addresses. Lanes that are not there are zero.
    struct first_words {
        __m512i first;
        __m512i second;
    };
    // Vector `I` of those that the addresses fill, each lane of 64 bits a part of one address.
    template <input_form Form, bool Part, unsigned I>
    static FINGERPOST_INLINE __m512i load_vector(const std::byte* in, unsigned present) {
        if constexpr (!Part)
            return _mm512_loadu_si512(in + I * 64);
        constexpr unsigned words = static_cast<unsigned>(bytes_of(Form) / 8);
        const unsigned spread = words == 2 ? (_pdep_u32(present, 0x55555555) * 3) : present;
        return _mm512_maskz_loadu_epi64(static_cast<__mmask8>(spread >> (I * 8)), in + I * 64);
    }
    template <input_form Form, bool Part>
    static FINGERPOST_INLINE first_words load_first(const std::byte* in, unsigned present) {
        if constexpr (Form == input_form::ipv4) {
            const auto mask = static_cast<__mmask16>(present);
            return {_mm512_maskz_loadu_epi32(mask, in), _mm512_setzero_si512()};
        } else if constexpr (Form == input_form::key64) {
            const __m512i a = load_vector<Form, Part, 0>(in, present);
            const __m512i b = load_vector<Form, Part, 1>(in, present);
            const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
            const __m512i even = _mm512_sub_epi32(odd, _mm512_set1_epi32(1));
            return {_mm512_permutex2var_epi32(a, odd, b), _mm512_permutex2var_epi32(a, even, b)};
        } else {
            const __m512i a = load_vector<Form, Part, 0>(in, present);
            const __m512i b = load_vector<Form, Part, 1>(in, present);
            const __m512i c = load_vector<Form, Part, 2>(in, present);
            const __m512i d = load_vector<Form, Part, 3>(in, present);
            // Every fourth 32-bit word of two vectors, once into the lower and once into the upper half.
            const __m512i low = _mm512_setr_epi32(3, 7, 11, 15, 19, 23, 27, 31, 3, 7, 11, 15, 19, 23, 27, 31);
            const __m512i next = _mm512_sub_epi32(low, _mm512_set1_epi32(1));
            return {
                upper_half_from(_mm512_permutex2var_epi32(a, low, b), _mm512_permutex2var_epi32(c, low, d)),
                upper_half_from(_mm512_permutex2var_epi32(a, next, b),
                                _mm512_permutex2var_epi32(c, next, d))};
        }
    }
    static FINGERPOST_INLINE __m512i upper_half_from(__m512i lower, __m512i upper) {
        return _mm512_mask_blend_epi32(0xff00, lower, upper);
    }
    static FINGERPOST_INLINE __m512i gather(const std::uint32_t* from, __m512i index) {
        return _mm512_i32gather_epi32(index, from, 4);
    }
    static FINGERPOST_INLINE __m512i gather_words(const bitmap_word* from, __m256i number) {
        static_assert(sizeof(bitmap_word) == 8);
        return _mm512_i32gather_epi64(number, from, 8);
    }
    // Codes of less than four bytes come out of the aligned word that they lie in, so that nothing past the
    // array's last word is read.
    template <unsigned AnswerBytes>
    static FINGERPOST_INLINE __m512i gather_codes(const std::byte* from, __m512i slot) {
        if constexpr (AnswerBytes == 4) {
            return _mm512_i32gather_epi32(slot, from, 4);
        } else {
            constexpr unsigned log_codes = AnswerBytes == 2 ? 1 : 2; // of how many there are in a word
            constexpr unsigned log_bits = AnswerBytes == 2 ? 4 : 3;
            const __m512i word = _mm512_i32gather_epi32(_mm512_srli_epi32(slot, log_codes), from, 4);
            const __m512i shift =
                _mm512_slli_epi32(_mm512_and_si512(slot, _mm512_set1_epi32((1 << log_codes) - 1)), log_bits);
            return _mm512_and_si512(_mm512_srlv_epi32(word, shift),
                                    _mm512_set1_epi32((1 << (8 * AnswerBytes)) - 1));
        }
    }
    // The even (0) or odd (1) 32-bit words of two vectors.
    static FINGERPOST_INLINE __m512i every_second(__m512i low, __m512i high, int first) {
        const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        return _mm512_permutex2var_epi32(low, _mm512_add_epi32(even, _mm512_set1_epi32(first)), high);
    }
    // How many bits are set in each 32-bit word: looked up for each half of a byte, then added up. The
    // instruction that counts them is not among those that this file asks for.
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
} // namespace fingerpost::packed_leaves
