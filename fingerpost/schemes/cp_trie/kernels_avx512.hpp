// The AVX-512 batch kernel. It takes the same steps with eight lookups a vector and eight vectors in turn.
//
// Each lane loads a block's bitmap and count together. Finished lanes stay at their slot and read the same
// bits again, so steps need no masks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/schemes/cp_trie/view.hpp"
#include "fingerpost/simd/eight_avx512.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::cp_trie {
namespace {

using namespace simd;

template <class Layout, input_form Form, unsigned Vectors>
class wide_walks {
  public:
    static constexpr unsigned lanes = 8 * Vectors;

    // Descends until few lanes continue or the first 64 bits are used up. Returns the number of levels below
    // the root. Sets `live` to a mask of the lanes that may continue, and `places` to the code places of all
    // others.
    static FINGERPOST_INLINE unsigned run(const trie_view& view, const std::byte* in, std::uint64_t& live,
                                          std::uint64_t* slots, std::uint32_t* places) {
        __m512i slot[Vectors];
        __m512i rest[Vectors];
        unroll<Vectors>([&](auto vector) FINGERPOST_LAMBDA {
            constexpr std::size_t v = vector.value;
            const __m512i high = load_high<Form>(in, 8 * v);
            slot[v] = _mm512_srli_epi64(high, 48);
            rest[v] = _mm512_slli_epi64(high, 16);
        });
        live = ~std::uint64_t{0} >> (64 - lanes);
        unsigned level = 0;
        for (; level < most_levels && __builtin_popcountll(live) > few; ++level) {
            live = 0;
            unroll<Vectors>([&](auto vector) FINGERPOST_LAMBDA {
                constexpr std::size_t v = vector.value;
                live |= step(view, slot[v], rest[v]) << (8 * v);
            });
        }
        unroll<Vectors>([&](auto vector) FINGERPOST_LAMBDA {
            constexpr std::size_t v = vector.value;
            _mm512_storeu_si512(slots + 8 * v, slot[v]);
            const __m256i eight = _mm512_cvtepi64_epi32(code_places(view, slot[v]));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(places + 8 * v), eight);
        });
        return level;
    }

  private:
    static constexpr unsigned most_levels = Form == input_form::ipv4 ? 2 : 6;
    // With this few lanes left, it is cheaper to finish them one by one.
    static constexpr int few = Form == input_form::ipv4 ? 0 : static_cast<int>(Vectors) / 2;
    using pairs = eight_pairs<Layout::pair_bytes>;

    static FINGERPOST_INLINE __m512i offsets(__m512i slot) {
        const __m512i block = _mm512_srli_epi64(slot, 6);
        if constexpr (Layout::block_bytes == 12)
            return _mm512_add_epi64(_mm512_slli_epi64(block, 3), _mm512_slli_epi64(block, 2));
        else
            return _mm512_slli_epi64(block, 5);
    }
    static FINGERPOST_INLINE __m512i bits_through(__m512i bits, __m512i slot) {
        return _mm512_sllv_epi64(bits, _mm512_andnot_si512(slot, all_eight(block_slots - 1)));
    }
    // Returns a mask of the lanes that continue.
    static FINGERPOST_INLINE std::uint64_t step(const trie_view& view, __m512i& slot, __m512i& rest) {
        const pairs bitmaps(view.blocks, offsets(slot));
        const __m512i through = bits_through(bitmaps.first(), slot);
        const __mmask8 goes_on = _mm512_movepi64_mask(through);
        const __m512i before = _mm512_and_si512(bitmaps.second(), all_eight(0xffffffff));
        const __m512i child = _mm512_add_epi64(before, populations(through));
        const __m512i below =
            _mm512_or_si512(_mm512_slli_epi64(child, slot_bits), _mm512_srli_epi64(rest, 64 - slot_bits));
        slot = _mm512_mask_mov_epi64(slot, goes_on, below);
        rest = _mm512_slli_epi64(rest, slot_bits);
        return bits_of(goes_on);
    }
    static FINGERPOST_INLINE __m512i code_places(const trie_view& view, __m512i slot) {
        const pairs bitmaps(Layout::leaf_pairs(view), offsets(slot));
        if constexpr (Layout::has_runs) {
            const __m512i through = bits_through(bitmaps.second(), slot);
            return _mm512_add_epi64(_mm512_srli_epi64(bitmaps.first(), 32), populations(through));
        } else {
            // A lane without a route reads the code at place 0.
            const __m512i through = bits_through(bitmaps.first(), slot);
            return _mm512_maskz_add_epi64(_mm512_movepi64_mask(through), bitmaps.second(),
                                          populations(through));
        }
    }
};

} // namespace
} // namespace fingerpost::cp_trie
