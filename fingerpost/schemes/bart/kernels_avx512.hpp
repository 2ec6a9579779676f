// The AVX-512 batch kernel. It takes the same steps with eight lookups a vector and several vectors in turn.
//
// A step gathers the word with the octet's bit, the offset of the first child with the ranks, and the child.
// Finished lanes repeat their last step. The last two nodes with prefixes on each path are recorded and
// tested at the end. The few lookups with more such nodes are repeated one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/fib/parts/multibit/wide_nodes.hpp"
#include "fingerpost/schemes/bart/view.hpp"

namespace fingerpost::bart {
namespace {

using namespace simd;
using namespace wide;

template <input_form Form, unsigned Groups>
class wide_lookup {
    struct walks {
        __m512i at;     // node numbers
        __m512i left;   // remaining address bits, complemented
        __m512i result; // leaf or fringe children that ended a lookup
        __mmask8 has_result;
    };
    static_assert(sizeof(node) == 80 && offsetof(node, children) == 32 && offsetof(node, first) == 64);

  public:
    static constexpr unsigned lanes = 8 * Groups;

    // fits(lane, leaf) compares a leaf, find(lane, node, slot) tests the prefixes of a node, and whole(lane)
    // repeats a lookup from the root. The last two write answers.
    template <class Fits, class Find, class Whole>
    static FINGERPOST_INLINE void block(const trie_view& view, const void* addresses, std::size_t first,
                                        next_hop* out, Fits fits, Find find, Whole whole) {
        walks lookups[Groups];
        places_to_ask<Groups> nodes;
        nodes.clear();
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            walks& w = lookups[group.value];
            w.at = broadcast(view.root);
            w.left = _mm512_xor_si512(load_high<Form>(addresses, first + 8 * group.value), broadcast(~0ull));
            w.result = _mm512_setzero_si512();
            w.has_result = 0;
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 8 * group.value),
                                _mm256_set1_epi32(static_cast<int>(next_hop::none.id)));
        });
        constexpr std::uint32_t none = next_hop::none.id;
        unsigned position = 0;
        const std::uint64_t present = ~std::uint64_t{0} >> (64 - lanes);
        const std::uint64_t live =
            step_together<Groups, stride>(present, position, [&](auto group) FINGERPOST_LAMBDA {
                return step(view, lookups[group.value], nodes, group.value);
            });
        std::uint64_t leaves = 0, fringes = 0;
        alignas(64) child results[lanes];
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr unsigned g = group.value;
            const walks& w = lookups[g];
            const __m512i to = _mm512_and_si512(w.result, broadcast(child::fringe));
            const __mmask8 is_fringe =
                _mm512_mask_cmpeq_epi64_mask(w.has_result, to, broadcast(child::fringe));
            _mm512_store_si512(results + 8 * g, w.result);
            _mm256_mask_storeu_epi32(out + 8 * g, is_fringe,
                                     _mm512_cvtepi64_epi32(_mm512_srli_epi64(w.result, 32)));
            fringes |= std::uint64_t{bits_of(is_fringe)} << (8 * g);
            leaves |= std::uint64_t{bits_of(w.has_result)} << (8 * g);
        });
        std::uint64_t fitting = 0;
        for (leaves &= ~fringes; leaves != 0; leaves &= leaves - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(leaves));
            const bool fit = fits(lane, results[lane].leaf());
            out[lane].id = fit ? results[lane].hop.id : none;
            fitting |= std::uint64_t{fit} << lane;
        }
        std::uint64_t left_over =
            live | nodes.ask(present & ~(live | fringes | fitting),
                             [&](unsigned lane, std::uint32_t place, unsigned slot)
                                 FINGERPOST_LAMBDA { return find(lane, place - 1, slot); });
        for (; left_over != 0; left_over &= left_over - 1)
            whole(static_cast<std::size_t>(__builtin_ctzll(left_over)));
    }

  private:
    static FINGERPOST_INLINE __m512i broadcast(std::uint64_t x) {
        return _mm512_set1_epi64(static_cast<long long>(x));
    }

    // Returns a mask of the lanes that continue.
    static FINGERPOST_INLINE unsigned step(const trie_view& view, walks& w, places_to_ask<Groups>& nodes,
                                           unsigned group) {
        const __m512i from_last = _mm512_srli_epi64(w.left, 62); // words from the last of the four
        const __m512i words = _mm512_add_epi64(_mm512_slli_epi64(w.at, 3), _mm512_slli_epi64(w.at, 1));
        const __m512i bits = _mm512_i64gather_epi64(
            _mm512_sub_epi64(_mm512_add_epi64(words, broadcast(7)), from_last), view.nodes, 8);
        const __m512i first = _mm512_i64gather_epi64(_mm512_add_epi64(words, broadcast(8)), view.nodes, 8);
        const __m512i below = _mm512_sllv_epi64(bits, _mm512_srli_epi64(_mm512_slli_epi64(w.left, 2), 58));
        const __mmask8 has_child = _mm512_movepi64_mask(below);
        const __m512i rank = _mm512_and_si512(
            _mm512_srlv_epi64(first, _mm512_sub_epi64(broadcast(56), _mm512_slli_epi64(from_last, 3))),
            broadcast(0xff));
        const __m512i place =
            _mm512_add_epi64(_mm512_add_epi64(_mm512_and_si512(first, broadcast(~node::prefix_bit)), rank),
                             less_one(populations(below)));
        const __m512i next =
            _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), has_child, place, view.children, 8);
        const __mmask8 ends = _mm512_test_epi64_mask(next, broadcast(child::leaf_bit));
        const auto goes_on = static_cast<__mmask8>(has_child & ~ends);
        nodes.note(group, _mm512_test_epi64_mask(first, broadcast(node::prefix_bit)),
                   _mm512_add_epi64(w.at, broadcast(1)), w.left);
        w.result = _mm512_mask_mov_epi64(w.result, ends, next);
        w.has_result = static_cast<__mmask8>(w.has_result | ends);
        w.at = _mm512_mask_and_epi64(w.at, goes_on, next, broadcast(0xffffffff));
        w.left = _mm512_mask_slli_epi64(w.left, goes_on, w.left, stride);
        return bits_of(goes_on);
    }
};

} // namespace
} // namespace fingerpost::bart
