// The batch kernel that AVX-512 makes of the same steps: eight lookups a vector, several vectors in turn.
//
// A node is one load of 24 (or 16) bytes a lane; shuffles bring the bitmaps of eight nodes into one register
// and their bases into another. Lookups that have ended stay at their node and look at the same bits again,
// so that no step asks who goes on. The last few that go on are finished one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/schemes/poptrie/view.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/input_form.hpp"

namespace fingerpost::poptrie {
namespace {

using namespace simd;

// Eight nodes, word by word; the lower half of `bases` is base0, the upper half base1.
template <class Node>
class eight_nodes {
    static constexpr unsigned words = sizeof(Node) / 8;

  public:
    // `offsets` in words. They go through memory whole: a store under a mask could not be read back at once.
    FINGERPOST_INLINE eight_nodes(const void* nodes, __m512i offsets) {
        const auto* const from = static_cast<const std::uint64_t*>(nodes);
        alignas(64) std::uint64_t at[8];
        _mm512_store_si512(at, offsets);
        unroll<4>([&](auto pair) FINGERPOST_LAMBDA {
            pairs_[pair.value] = _mm512_inserti64x4(_mm512_castsi256_si512(load(from + at[2 * pair.value])),
                                                    load(from + at[2 * pair.value + 1]), 1);
        });
    }
    FINGERPOST_INLINE __m512i vector() const { return word<0>(); }
    FINGERPOST_INLINE __m512i runs() const {
        return Node::has_runs ? word<1>() : _mm512_xor_si512(word<0>(), _mm512_set1_epi64(-1));
    }
    FINGERPOST_INLINE __m512i bases() const { return word<words - 1>(); }

  private:
    // No byte behind the node is read: it may be the last one of the array.
    static FINGERPOST_INLINE __m256i load(const std::uint64_t* at) {
        return _mm256_maskz_loadu_epi64((1u << words) - 1, at);
    }
    template <unsigned Word>
    FINGERPOST_INLINE __m512i word() const {
        const __m512i pick = _mm512_setr_epi64(Word, Word + 4, Word + 8, Word + 12, 0, 0, 0, 0);
        const __m512i low = _mm512_permutex2var_epi64(pairs_[0], pick, pairs_[1]);
        const __m512i high = _mm512_permutex2var_epi64(pairs_[2], pick, pairs_[3]);
        return _mm512_inserti64x4(low, _mm512_castsi512_si256(high), 1);
    }
    __m512i pairs_[4];
};

// The instruction that counts the bits of a word came after those that this instruction set asks for.
FINGERPOST_INLINE __m512i populations(__m512i bits) {
    const __m512i of_nibble =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i nibble = _mm512_set1_epi8(15);
    const __m512i low = _mm512_shuffle_epi8(of_nibble, _mm512_and_si512(bits, nibble));
    const __m512i high = _mm512_shuffle_epi8(of_nibble, _mm512_and_si512(_mm512_srli_epi16(bits, 4), nibble));
    return _mm512_sad_epu8(_mm512_add_epi8(low, high), _mm512_setzero_si512());
}

// g++ 12 may spill a mask at its own width and read back four bytes; see simd/vec_avx512.hpp.
FINGERPOST_INLINE unsigned bits_of(__mmask8 mask) {
    unsigned bits = mask;
    __asm__("" : "+r"(bits));
    return bits & 0xff;
}

template <class Node, leaf_width Width, input_form Form, unsigned Groups>
class wide_lookup {
    static constexpr unsigned words = sizeof(Node) / 8;

  public:
    static constexpr unsigned groups = Groups;
    static constexpr unsigned lanes = 8 * groups;

    // `rest`(lane, node, position) is called for lookups that are left over, and writes their answers.
    template <class Rest>
    static FINGERPOST_INLINE void block(const trie_view& view, const void* addresses, std::size_t first,
                                        std::uint32_t* out, Rest rest) {
        __m512i left[groups]; // of the addresses: the bits not looked at yet, complemented
        __mmask8 entered[groups];
        __m512i at[groups]; // offsets of nodes in words
        alignas(64) std::uint32_t entries[lanes];
        std::uint64_t live = 0;
        const __m128i index_shift = _mm_cvtsi32_si128(static_cast<int>(63 - view.direct_bits));
        const __m128i taken = _mm_cvtsi32_si128(static_cast<int>(view.direct_bits));
        unroll<groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr std::size_t g = group.value;
            const __m512i high = load_high(addresses, first + 8 * g);
            const __m512i index = _mm512_srl_epi64(_mm512_srli_epi64(high, 1), index_shift);
            const __m256i entry = _mm512_i64gather_epi32(index, view.direct, 4);
            entered[g] = static_cast<__mmask8>(~_mm256_movepi32_mask(entry));
            live |= std::uint64_t{bits_of(entered[g])} << (8 * g);
            left[g] = _mm512_sll_epi64(_mm512_xor_si512(high, _mm512_set1_epi64(-1)), taken);
            _mm256_store_si256(reinterpret_cast<__m256i*>(entries + 8 * g), entry);
            const __m256i code = _mm256_and_si256(entry, _mm256_set1_epi32(static_cast<int>(~direct_leaf)));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 8 * g),
                                _mm256_sub_epi32(code, _mm256_set1_epi32(1)));
        });
        if (live == 0)
            return;
        const std::uint64_t present = live;
        // Who met no node goes along from another's, because each lane needs one that is there.
        const __m256i any = _mm256_set1_epi32(static_cast<int>(entries[__builtin_ctzll(live)]));
        unroll<groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr std::size_t g = group.value;
            const __m256i entry = _mm256_load_si256(reinterpret_cast<const __m256i*>(entries + 8 * g));
            at[g] = offsets(_mm512_cvtepu32_epi64(_mm256_mask_mov_epi32(any, entered[g], entry)));
        });
        unsigned position = view.direct_bits;
        for (; position <= 64 - stride && __builtin_popcountll(live) > few; position += stride) {
            std::uint64_t now = 0;
            unroll<groups>([&](auto group) FINGERPOST_LAMBDA {
                constexpr std::size_t g = group.value;
                now |= step(view, left[g], at[g]) << (8 * g);
            });
            live = now & present;
        }
        unroll<groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr std::size_t g = group.value;
            answer(view, left[g], at[g], entered[g] & static_cast<__mmask8>(~(live >> (8 * g))), out + 8 * g);
        });
        if (live == 0)
            return;
        alignas(64) std::uint64_t last[lanes];
        unroll<groups>([&](auto group) FINGERPOST_LAMBDA {
            _mm512_store_si512(last + 8 * group.value, at[group.value]);
        });
        for (; live != 0; live &= live - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(live));
            rest(lane, static_cast<std::uint32_t>(last[lane] / words), position);
        }
    }

  private:
    // So few are finished one by one rather than that all take one step more.
    static constexpr int few = Groups;

    static FINGERPOST_INLINE __m512i load_high(const void* addresses, std::size_t first) {
        if constexpr (Form == input_form::key64) {
            return _mm512_loadu_si512(static_cast<const std::uint64_t*>(addresses) + first);
        } else if constexpr (Form == input_form::ipv4) {
            const auto* const at = static_cast<const std::uint32_t*>(addresses) + first;
            return _mm512_slli_epi64(
                _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at))), 32);
        } else {
            const auto* const at = static_cast<const std::uint64_t*>(addresses) + 2 * first;
            const __m512i pick = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
            return _mm512_permutex2var_epi64(_mm512_loadu_si512(at), pick, _mm512_loadu_si512(at + 8));
        }
    }
    static FINGERPOST_INLINE __m512i offsets(__m512i numbers) {
        const __m512i twice = _mm512_slli_epi64(numbers, 1);
        return words == 3 ? _mm512_add_epi64(twice, numbers) : twice;
    }
    static FINGERPOST_INLINE __m512i less_one(__m512i x) {
        return _mm512_add_epi64(x, _mm512_set1_epi64(-1));
    }

    // Returns who goes on, a bit each.
    static FINGERPOST_INLINE std::uint64_t step(const trie_view& view, __m512i& left, __m512i& at) {
        const eight_nodes<Node> here(view.nodes, at);
        const __m512i below = _mm512_sllv_epi64(here.vector(), _mm512_srli_epi64(left, 64 - stride));
        const __mmask8 goes_on = _mm512_movepi64_mask(below);
        const __m512i base1 = _mm512_srli_epi64(here.bases(), 32);
        const __m512i child = _mm512_add_epi64(base1, less_one(populations(below)));
        at = _mm512_mask_mov_epi64(at, goes_on, offsets(child));
        left = _mm512_mask_slli_epi64(left, goes_on, left, stride);
        return bits_of(goes_on);
    }
    // Writes the codes, less one, of the leaves of `which`.
    static FINGERPOST_INLINE void answer(const trie_view& view, __m512i left, __m512i at, __mmask8 which,
                                         std::uint32_t* out) {
        const eight_nodes<Node> here(view.nodes, at);
        const __m512i runs = _mm512_sllv_epi64(here.runs(), _mm512_srli_epi64(left, 64 - stride));
        const __m512i base0 = _mm512_and_si512(here.bases(), _mm512_set1_epi64(0xffffffff));
        const __m512i number = less_one(populations(runs));
        __m256i code;
        if constexpr (Width == leaf_width::two_bytes) {
            // Blocks of leaves begin and end at multiples of four bytes, which are read whole.
            const __m512i place = _mm512_add_epi64(base0, number);
            const __m256i both = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), which,
                                                             _mm512_srli_epi64(place, 1), view.leaves, 4);
            const __m256i odd = _mm256_and_si256(_mm512_cvtepi64_epi32(place), _mm256_set1_epi32(1));
            code = _mm256_and_si256(_mm256_srlv_epi32(both, _mm256_slli_epi32(odd, 4)),
                                    _mm256_set1_epi32(0xffff));
        } else {
            const __m512i place = _mm512_add_epi64(_mm512_srli_epi64(base0, 1), number);
            code = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), which, place, view.leaves, 4);
        }
        _mm256_mask_storeu_epi32(out, which, _mm256_sub_epi32(code, _mm256_set1_epi32(1)));
    }
};

} // namespace
} // namespace fingerpost::poptrie
