// The AVX-512 batch kernel for split nodes, with eight lookups a vector and several vectors in turn.
//
// A step loads one segment of 16 bytes for each lane, which never crosses a cache line. It records the last
// two internal nodes on the path. At the end, lookups without the result of an end node test these one by
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/fib/parts/multibit/wide_nodes.hpp"
#include "fingerpost/schemes/tree_bitmap/kernels_avx512.hpp"
#include "fingerpost/schemes/tree_bitmap/view.hpp"

namespace fingerpost::tree_bitmap {
namespace {

template <input_form Form, unsigned Groups>
class wide_split_lookup {
    static constexpr unsigned stride = search_node::stride;
    using eight = eight_nodes<sizeof(segment)>;

    struct walks {
        __m512i at; // last segment of a node; the others are before it
        __m512i left;
        __m512i result; // result of an end node
        __mmask8 has_result;
    };

  public:
    static constexpr unsigned lanes = 8 * Groups;

    // find(inner, slot, hop) tests an internal node. whole(lane) repeats a lookup from the root and writes
    // the answer, because few lookups need more than two internal nodes.
    template <class Find, class Whole>
    static FINGERPOST_INLINE void block(const trie_view& view, const void* addresses, std::size_t first,
                                        next_hop* out, Find find, Whole whole) {
        walks lookups[Groups];
        wide_entries<Groups> entries;
        const std::uint64_t present = entries.template load<Form>(view, addresses, first, out);
        if (present == 0)
            return;
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            walks& w = lookups[group.value];
            w.at = last_segment(entries.nodes[group.value]);
            w.left = entries.left[group.value];
            w.result = _mm512_setzero_si512();
            w.has_result = 0;
        });
        places_to_ask<Groups> internals;
        internals.clear();
        unsigned position = view.initial_bits;
        const std::uint64_t live =
            step_together<Groups, stride>(present, position, [&](auto group) FINGERPOST_LAMBDA {
                return step(view, entries.entered[group.value], lookups[group.value], internals, group.value);
            });
        std::uint64_t asking = present & ~live;
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr std::size_t g = group.value;
            const walks& w = lookups[g];
            const __m256i hops =
                _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), w.has_result, w.result, view.results, 4);
            _mm256_mask_storeu_epi32(out + 8 * g, w.has_result, hops);
            asking &= ~(std::uint64_t{bits_of(w.has_result)} << (8 * g));
        });
        std::uint64_t left_over =
            live | internals.ask(asking, [&](unsigned lane, std::uint32_t inner, unsigned slot)
                                             FINGERPOST_LAMBDA { return find(inner, slot, out[lane]); });
        for (; left_over != 0; left_over &= left_over - 1)
            whole(static_cast<std::size_t>(__builtin_ctzll(left_over)));
    }

  private:
    static FINGERPOST_INLINE __m512i last_segment(__m512i numbers) {
        return eight::offsets(_mm512_add_epi64(_mm512_slli_epi64(numbers, 2), broadcast(3)));
    }

    // Returns a mask of the lanes that continue.
    static FINGERPOST_INLINE unsigned step(const trie_view& view, __mmask8 entered, walks& w,
                                           places_to_ask<Groups>& internals, unsigned group) {
        const eight fields(view.nodes, _mm512_sub_epi64(w.at, eight::offsets(_mm512_srli_epi64(w.left, 62))));
        const __m512i turned = _mm512_srli_epi64(_mm512_slli_epi64(w.left, 2), 58);
        const __m512i below = _mm512_sllv_epi64(fields.template word<0>(), turned);
        const __m512i places = fields.template word<1>();
        const auto leads_on = static_cast<__mmask8>(entered & _mm512_movepi64_mask(below));
        const __mmask8 end = _mm512_movepi64_mask(places);
        const auto goes_on = static_cast<__mmask8>(leads_on & ~end);
        const __m512i to =
            _mm512_add_epi64(_mm512_and_si512(places, broadcast(0xffffffff)), less_one(populations(below)));
        const __m512i inner = _mm512_srli_epi64(_mm512_slli_epi64(places, 1), 33);
        internals.note(group, _mm512_mask_test_epi64_mask(entered, inner, inner), inner, w.left);
        const auto ends_here = static_cast<__mmask8>(leads_on & end);
        w.result = _mm512_mask_mov_epi64(w.result, ends_here, to);
        w.has_result = static_cast<__mmask8>(w.has_result | ends_here);
        w.at = _mm512_mask_mov_epi64(w.at, goes_on, last_segment(to));
        w.left = _mm512_mask_slli_epi64(w.left, goes_on, w.left, stride);
        return bits_of(goes_on);
    }
};

} // namespace
} // namespace fingerpost::tree_bitmap
