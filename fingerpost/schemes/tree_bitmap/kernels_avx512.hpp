// The AVX-512 batch kernel. It takes the same steps with eight lookups a vector and several vectors in turn.
//
// For nodes with bitmaps of up to 64 bits, each of which is one word. Addresses are stored complemented. Let
// v be the bits of a step: external << (63 - v) has the bit of v at the top and only the bits below it after
// that, and the number of these bits is the child's place. The prefixes that cover v are computed with shifts
// instead of a table. Each step records the last node with a match; the bits before that match are counted
// once, at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/fib/parts/multibit/wide_nodes.hpp"
#include "fingerpost/schemes/tree_bitmap/view.hpp"

namespace fingerpost::tree_bitmap {
namespace {

using namespace simd;
using namespace wide;

FINGERPOST_INLINE __m512i broadcast(std::uint64_t x) {
    return _mm512_set1_epi64(static_cast<long long>(x));
}

// The initial array's entries for the addresses of a block.
template <unsigned Groups>
struct wide_entries {
    // Lanes without a node read the array's first node, which always exists.
    __m512i nodes[Groups];
    __m512i left[Groups]; // remaining address bits, complemented
    __mmask8 entered[Groups];

    // Writes the answers of lanes without a node, and returns a mask of the others.
    template <input_form Form>
    FINGERPOST_INLINE std::uint64_t load(const trie_view& view, const void* addresses, std::size_t first,
                                         next_hop* out) {
        std::uint64_t present = 0;
        const __m128i index_shift = _mm_cvtsi32_si128(static_cast<int>(63 - view.initial_bits));
        const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(view.initial_bits));
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr std::size_t g = group.value;
            const __m512i high = load_high<Form>(addresses, first + 8 * g);
            const __m512i index = _mm512_srl_epi64(_mm512_srli_epi64(high, 1), index_shift);
            const __m512i entry = _mm512_i64gather_epi64(index, view.initial, sizeof(initial_entry));
            const __m512i node = _mm512_and_si512(entry, broadcast(no_node));
            entered[g] = _mm512_cmpneq_epi64_mask(node, broadcast(no_node));
            nodes[g] = _mm512_maskz_mov_epi64(entered[g], node);
            present |= std::uint64_t{bits_of(entered[g])} << (8 * g);
            left[g] = _mm512_sll_epi64(_mm512_xor_si512(high, broadcast(~0ull)), shift);
            const __m256i hops = _mm512_cvtepi64_epi32(_mm512_srli_epi64(entry, 32));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 8 * g), hops);
        });
        return present;
    }
};

// The fields of eight nodes.
template <unsigned Stride>
class wide_node {
    static_assert(Stride <= 6);
    static constexpr unsigned slots = 1u << Stride;
    static constexpr bool has_words = slots == 64;
    using eight = eight_nodes<sizeof(node<Stride>)>;

  public:
    FINGERPOST_INLINE wide_node(const void* nodes, __m512i offsets) : all_(nodes, offsets) {}

    // The bits above the bitmap may be other fields.
    FINGERPOST_INLINE __m512i internal() const { return all_.template word<0>(); }
    FINGERPOST_INLINE __m512i internal_alone() const {
        return has_words ? internal() : _mm512_and_si512(internal(), broadcast((1ull << (slots % 64)) - 1));
    }
    // The bitmap, moved to the top of the word, with zeros below.
    FINGERPOST_INLINE __m512i external() const {
        if constexpr (has_words)
            return all_.template word<1>();
        else
            return _mm512_and_si512(_mm512_slli_epi64(all_.template word<0>(), 64 - 2 * slots),
                                    broadcast(~0ull << (64 - slots % 64)));
    }
    FINGERPOST_INLINE __m512i children() const {
        if constexpr (sizeof(node<Stride>) == 12)
            return _mm512_srli_epi64(all_.template word<0>(), 32);
        else
            return _mm512_and_si512(all_.template word<last>(), broadcast(0xffffffff));
    }
    FINGERPOST_INLINE __m512i results() const {
        return sizeof(node<Stride>) == 12 ? all_.template word<1>()
                                          : _mm512_srli_epi64(all_.template word<last>(), 32);
    }

    static FINGERPOST_INLINE __m512i offsets(__m512i numbers) { return eight::offsets(numbers); }
    static FINGERPOST_INLINE std::uint32_t number(std::uint64_t offset) { return eight::number(offset); }
    // Returns the bits 2^l + v / 2^(Stride - l) for each length l below the stride, where v is the first bits
    // of the complement of `left`. Up to three bits of v select one of 8 bits. For four bits, the result is
    // in bits 16 to 31; bit 31 is for a complement of 0.
    static FINGERPOST_INLINE __m512i ancestors(__m512i left) {
        constexpr unsigned mask = Stride < 4 ? 0xff : 0xffff;
        const auto of = [](unsigned turned) FINGERPOST_LAMBDA {
            const unsigned v = 7 - turned;
            return static_cast<long long>((2u | 1u << (2 + v / 4) | 1u << (4 + v / 2) | 1u << (8 + v)) &
                                          mask);
        };
        const __m512i short_ones = _mm512_setr_epi64(of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7));
        __m512i bits = _mm512_permutexvar_epi64(_mm512_srli_epi64(left, 61), short_ones);
        if constexpr (Stride > 4)
            bits =
                _mm512_or_si512(bits, _mm512_srlv_epi64(broadcast(1ull << 31), _mm512_srli_epi64(left, 60)));
        if constexpr (Stride > 5)
            bits =
                _mm512_or_si512(bits, _mm512_srlv_epi64(broadcast(1ull << 63), _mm512_srli_epi64(left, 59)));
        return bits;
    }

  private:
    static constexpr unsigned last = sizeof(node<Stride>) / 8 - 1;
    eight all_;
};

template <unsigned Stride, input_form Form, unsigned Groups>
class wide_lookup {
    using nodes = wide_node<Stride>;
    struct walks {
        __m512i at;   // node offsets
        __m512i left; // remaining address bits
        __m512i best; // last places with a match, each in one word
        __mmask8 has_best;
    };
    // The remaining bits that a step uses. An offset has 33 bits.
    static constexpr std::uint64_t looked_at = 0xffull << 56;

  public:
    static constexpr unsigned lanes = 8 * Groups;

    // Calls rest(lane, node, position) for unfinished lookups. It writes the answer if it finds a match from
    // that node on; otherwise it leaves the previous answer.
    template <class Rest>
    static FINGERPOST_INLINE void block(const trie_view& view, const void* addresses, std::size_t first,
                                        next_hop* out, Rest rest) {
        walks lookups[Groups];
        wide_entries<Groups> entries;
        const std::uint64_t present = entries.template load<Form>(view, addresses, first, out);
        if (present == 0)
            return;
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr std::size_t g = group.value;
            lookups[g].at = nodes::offsets(entries.nodes[g]);
            lookups[g].left = entries.left[g];
            lookups[g].best = lookups[g].at;
            lookups[g].has_best = 0;
        });
        unsigned position = view.initial_bits;
        const std::uint64_t live =
            step_together<Groups, Stride>(present, position, [&](auto group) FINGERPOST_LAMBDA {
                return step(view, entries.entered[group.value], lookups[group.value]);
            });
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            answer(view, lookups[group.value].best, lookups[group.value].has_best, out + 8 * group.value);
        });
        for_each_live<Groups>(
            live, [&](auto group) FINGERPOST_LAMBDA { return lookups[group.value].at; },
            [&](unsigned lane, std::uint64_t last)
                FINGERPOST_LAMBDA { rest(lane, nodes::number(last), position); });
    }

  private:
    // Returns a mask of the lanes that continue. Lanes that have not entered stay at their node, which may be
    // unused.
    static FINGERPOST_INLINE unsigned step(const trie_view& view, __mmask8 entered, walks& w) {
        const nodes fields(view.nodes, w.at);
        const __m512i below = _mm512_sllv_epi64(fields.external(), _mm512_srli_epi64(w.left, 64 - Stride));
        const __mmask8 leads_on = entered & _mm512_movepi64_mask(below);
        const __mmask8 end = _mm512_test_epi64_mask(fields.internal(), broadcast(1));
        const __mmask8 inner =
            _mm512_mask_test_epi64_mask(entered, fields.internal(), nodes::ancestors(w.left));
        const auto matches = static_cast<__mmask8>(inner | (leads_on & end));
        const auto goes_on = static_cast<__mmask8>(leads_on & ~end);
        const __m512i place = _mm512_ternarylogic_epi64(w.at, w.left, broadcast(looked_at), 0xf8);
        w.best = _mm512_mask_mov_epi64(w.best, matches, place);
        w.has_best = static_cast<__mmask8>(w.has_best | matches);
        const __m512i child = _mm512_add_epi64(fields.children(), less_one(populations(below)));
        w.at = _mm512_mask_mov_epi64(w.at, goes_on, nodes::offsets(child));
        w.left = _mm512_mask_slli_epi64(w.left, goes_on, w.left, Stride);
        return bits_of(goes_on);
    }
    // Writes the longest matches in the nodes of the lanes `which`.
    static FINGERPOST_INLINE void answer(const trie_view& view, __m512i best, __mmask8 which, next_hop* out) {
        const nodes fields(view.nodes, _mm512_andnot_si512(broadcast(looked_at), best));
        const __m512i below = _mm512_sllv_epi64(fields.external(), _mm512_srli_epi64(best, 64 - Stride));
        const __mmask8 end = _mm512_test_epi64_mask(fields.internal(), broadcast(1));
        const __mmask8 outer = end & _mm512_movepi64_mask(below);
        // All bits below the highest match, by copying it down; all internal bits for an external match.
        __m512i below_match = _mm512_and_si512(fields.internal(), nodes::ancestors(best));
        unroll<Stride>([&](auto doubled) FINGERPOST_LAMBDA {
            below_match = _mm512_or_si512(below_match, _mm512_srli_epi64(below_match, 1u << doubled.value));
        });
        below_match = _mm512_mask_mov_epi64(_mm512_srli_epi64(below_match, 1), outer, broadcast(~0ull));
        const __m512i counted = populations(_mm512_and_si512(fields.internal_alone(), below_match));
        const __m512i beyond = _mm512_maskz_mov_epi64(outer, less_one(populations(below)));
        const __m512i place = _mm512_add_epi64(_mm512_add_epi64(fields.results(), counted), beyond);
        const __m512i real = _mm512_mask_add_epi64(place, end, place, broadcast(~0ull));
        const __m256i hops =
            _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), which, real, view.results, 4);
        _mm256_mask_storeu_epi32(out, which, hops);
    }
};

} // namespace
} // namespace fingerpost::tree_bitmap
