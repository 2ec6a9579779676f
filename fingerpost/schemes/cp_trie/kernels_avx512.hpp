// CP-Trie with both bitmaps in a line, by gathers: eight addresses a vector, four vectors at a time, through
// the first 64 bits of an IPv6 address. What goes on behind them is looked up alone. More loads are under way
// together than where each lane takes a dozen instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/schemes/cp_trie/view.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::cp_trie {
namespace {

using namespace simd;

struct gathered_lines {
    static constexpr unsigned vectors = 4;
    static constexpr std::size_t lanes = vectors * 8;
    // Below the root, in the first 64 bits.
    static constexpr unsigned levels = 6;

    // Writes 32 codes, each less by one, and returns which lanes are not at a leaf yet, a bit each: theirs is
    // the code of the leaf before, which is always there six levels down.
    template <class Code>
    static FINGERPOST_INLINE std::uint32_t look_up(const trie_view& view, const std::byte* in,
                                                   std::uint32_t* out) {
        __m512i key[vectors];
        __m512i slot[vectors];
        unroll<vectors>([&](auto v) FINGERPOST_LAMBDA {
            const std::byte* const from = in + v.value * 128;
            const __m512i upper = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
            key[v.value] =
                _mm512_permutex2var_epi64(_mm512_loadu_si512(from), upper, _mm512_loadu_si512(from + 64));
            slot[v.value] = _mm512_srli_epi64(key[v.value], 48);
        });
        std::uint32_t going = 0;
        for (unsigned level = 0;; ++level) {
            if (level == 0 || level >= view.usual_levels || level == levels) {
                going = which_go_on(view, slot);
                if (going == 0 || level == levels)
                    break;
            }
            const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(40 - 8 * level));
            unroll<vectors>([&](auto v) FINGERPOST_LAMBDA {
                const __m512i below =
                    _mm512_and_si512(_mm512_srl_epi64(key[v.value], shift), _mm512_set1_epi64(255));
                slot[v.value] = step(view, slot[v.value], below);
            });
        }
        unroll<vectors>([&](auto v) FINGERPOST_LAMBDA {
            alignas(64) std::uint64_t place[8];
            _mm512_store_si512(place, leaf_place(view, slot[v.value]));
            unroll<8>([&](auto lane) FINGERPOST_LAMBDA {
                const auto at = static_cast<std::uint32_t>(place[lane.value]);
                out[v.value * 8 + lane.value] =
                    static_cast<std::uint32_t>(static_cast<const Code*>(view.codes)[at]) - 1;
            });
        });
        return going;
    }

  private:
    // The words at an offset in the blocks of eight slots.
    template <std::size_t Offset>
    static FINGERPOST_INLINE __m512i words_of(const trie_view& view, __m512i slot) {
        static_assert(sizeof(paired_bitmaps) == 4 * sizeof(std::uint64_t));
        const __m512i word = _mm512_slli_epi64(_mm512_srli_epi64(slot, 6), 2);
        return _mm512_i64gather_epi64(word, view.blocks + Offset, sizeof(std::uint64_t));
    }
    // Both counts: that of children in the lower half.
    static FINGERPOST_INLINE __m512i counts_of(const trie_view& view, __m512i slot) {
        static_assert(offsetof(paired_bitmaps, leaf_before) == offsetof(paired_bitmaps, child_before) + 4);
        return words_of<offsetof(paired_bitmaps, child_before)>(view, slot);
    }
    static FINGERPOST_INLINE __m512i through(__m512i bits, __m512i slot) {
        return _mm512_sllv_epi64(bits, _mm512_andnot_si512(slot, _mm512_set1_epi64(block_slots - 1)));
    }
    static FINGERPOST_INLINE __m512i children_up_to(const trie_view& view, __m512i slot) {
        return through(words_of<offsetof(paired_bitmaps, children)>(view, slot), slot);
    }
    static FINGERPOST_INLINE std::uint32_t which_go_on(const trie_view& view, const __m512i* slot) {
        std::uint32_t which = 0;
        unroll<vectors>([&](auto v) FINGERPOST_LAMBDA {
            const __mmask8 some = _mm512_movepi64_mask(children_up_to(view, slot[v.value]));
            which |= std::uint32_t{some} << (v.value * 8);
        });
        return which;
    }
    static FINGERPOST_INLINE __m512i step(const trie_view& view, __m512i slot, __m512i below) {
        const __m512i bits = children_up_to(view, slot);
        const __m512i before = _mm512_and_si512(counts_of(view, slot), _mm512_set1_epi64(0xffffffff));
        const __m512i child = _mm512_add_epi64(before, bits_in_each(bits));
        return _mm512_mask_or_epi64(slot, _mm512_movepi64_mask(bits), _mm512_slli_epi64(child, slot_bits),
                                    below);
    }
    static FINGERPOST_INLINE __m512i leaf_place(const trie_view& view, __m512i slot) {
        const __m512i bits = through(words_of<offsetof(paired_bitmaps, leaves)>(view, slot), slot);
        return _mm512_add_epi64(_mm512_srli_epi64(counts_of(view, slot), 32), bits_in_each(bits));
    }
    // How many bits are set in each word: looked up for each half of a byte, then added up. The instruction
    // that counts them is not among those that this file asks for.
    static FINGERPOST_INLINE __m512i bits_in_each(__m512i words) {
        const __m512i counts =
            _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        const __m512i half = _mm512_set1_epi8(15);
        const __m512i low = _mm512_shuffle_epi8(counts, _mm512_and_si512(words, half));
        const __m512i high = _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi16(words, 4), half));
        return _mm512_sad_epu8(_mm512_add_epi8(low, high), _mm512_setzero_si512());
    }
};

} // namespace
} // namespace fingerpost::cp_trie
