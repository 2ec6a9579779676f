// The AVX-512 batch kernel. It takes the same steps with eight lookups a vector and several vectors in turn.
//
// Each lane loads the bitmap and the bases of a node as 16 bytes. Shuffles collect the bitmaps of eight nodes
// in one register and their bases in another. Finished lanes stay at their node and read the same bits again,
// so steps need no masks. The last few unfinished lookups are completed one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/fib/parts/multibit/wide_nodes.hpp"
#include "fingerpost/schemes/poptrie/view.hpp"
#include "fingerpost/simd/eight_avx512.hpp"

namespace fingerpost::poptrie {
namespace {

using namespace simd;
using namespace wide;

template <class Node, leaf_width Width, input_form Form, unsigned Groups>
class wide_lookup {
  public:
    static constexpr unsigned groups = Groups;
    static constexpr unsigned lanes = 8 * groups;

    // Calls rest(lane, node, position) for unfinished lookups; it writes their answers.
    template <class Rest>
    static FINGERPOST_INLINE void block(const trie_view& view, const void* addresses, std::size_t first,
                                        std::uint32_t* out, Rest rest) {
        __m512i left[groups]; // remaining address bits, complemented
        __mmask8 entered[groups];
        __m512i at[groups]; // offsets of nodes in bytes
        alignas(64) std::uint32_t entries[lanes];
        std::uint64_t present = 0;
        const __m128i index_shift = _mm_cvtsi32_si128(static_cast<int>(63 - view.direct_bits));
        const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(view.direct_bits));
        unroll<groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr std::size_t g = group.value;
            const __m512i high = load_high<Form>(addresses, first + 8 * g);
            const __m512i index = _mm512_srl_epi64(_mm512_srli_epi64(high, 1), index_shift);
            const __m256i entry = _mm512_i64gather_epi32(index, view.direct, 4);
            entered[g] = static_cast<__mmask8>(~_mm256_movepi32_mask(entry));
            present |= std::uint64_t{bits_of(entered[g])} << (8 * g);
            left[g] = _mm512_sll_epi64(_mm512_xor_si512(high, _mm512_set1_epi64(-1)), shift);
            _mm256_store_si256(reinterpret_cast<__m256i*>(entries + 8 * g), entry);
            const __m256i code = _mm256_and_si256(entry, _mm256_set1_epi32(static_cast<int>(~direct_leaf)));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 8 * g),
                                _mm256_sub_epi32(code, _mm256_set1_epi32(1)));
        });
        if (present == 0)
            return;
        // Idle lanes reuse another lane's node, because every lane must load a valid one.
        const __m256i any = _mm256_set1_epi32(static_cast<int>(entries[__builtin_ctzll(present)]));
        unroll<groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr std::size_t g = group.value;
            const __m256i entry = _mm256_load_si256(reinterpret_cast<const __m256i*>(entries + 8 * g));
            at[g] = offsets(_mm512_cvtepu32_epi64(_mm256_mask_mov_epi32(any, entered[g], entry)));
        });
        unsigned position = view.direct_bits;
        const std::uint64_t live =
            step_together<groups, stride>(present, position, [&](auto group) FINGERPOST_LAMBDA {
                return step(view, left[group.value], at[group.value]);
            });
        unroll<groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr std::size_t g = group.value;
            answer(view, left[g], at[g], entered[g] & static_cast<__mmask8>(~(live >> (8 * g))), out + 8 * g);
        });
        for_each_live<groups>(
            live, [&](auto group) FINGERPOST_LAMBDA { return at[group.value]; },
            [&](unsigned lane, std::uint64_t last)
                FINGERPOST_LAMBDA { rest(lane, static_cast<std::uint32_t>(last / sizeof(Node)), position); });
    }

  private:
    static FINGERPOST_INLINE __m512i offsets(__m512i numbers) {
        const __m512i sixteen = _mm512_slli_epi64(numbers, 4);
        return Node::has_runs ? _mm512_add_epi64(sixteen, _mm512_slli_epi64(numbers, 3)) : sixteen;
    }
    // The bitmaps of eight nodes, and their bases with base0 in the lower half and base1 in the upper one.
    static FINGERPOST_INLINE eight_pairs<16> read(const trie_view& view, __m512i at) {
        return {static_cast<const std::byte*>(view.nodes) + offsetof(Node, vector), at};
    }

    // Returns a mask of the lanes that continue.
    static FINGERPOST_INLINE std::uint64_t step(const trie_view& view, __m512i& left, __m512i& at) {
        const eight_pairs<16> fields = read(view, at);
        const __m512i below = _mm512_sllv_epi64(fields.first(), _mm512_srli_epi64(left, 64 - stride));
        const __mmask8 goes_on = _mm512_movepi64_mask(below);
        const __m512i base1 = _mm512_srli_epi64(fields.second(), 32);
        const __m512i child = _mm512_add_epi64(base1, less_one(populations(below)));
        at = _mm512_mask_mov_epi64(at, goes_on, offsets(child));
        left = _mm512_mask_slli_epi64(left, goes_on, left, stride);
        return bits_of(goes_on);
    }
    // Writes the code minus one of each leaf for the lanes `which`.
    static FINGERPOST_INLINE void answer(const trie_view& view, __m512i left, __m512i at, __mmask8 which,
                                         std::uint32_t* out) {
        const eight_pairs<16> fields = read(view, at);
        __m512i all_runs = _mm512_xor_si512(fields.first(), all_eight(-1));
        if constexpr (Node::has_runs)
            all_runs = _mm512_mask_i64gather_epi64(
                all_eight(0), which, at, static_cast<const std::byte*>(view.nodes) + offsetof(Node, leafvec),
                1);
        const __m512i runs = _mm512_sllv_epi64(all_runs, _mm512_srli_epi64(left, 64 - stride));
        const __m512i base0 = _mm512_and_si512(fields.second(), _mm512_set1_epi64(0xffffffff));
        const __m512i number = less_one(populations(runs));
        __m256i code;
        if constexpr (Width == leaf_width::two_bytes) {
            // Blocks of leaves begin and end at multiples of four bytes, so reading four bytes stays within
            // them.
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
