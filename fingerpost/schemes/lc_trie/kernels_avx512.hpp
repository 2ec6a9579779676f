// LC-trie lookups with gathers: eight addresses a vector, eight vectors in turn, so that 64 loads overlap.
//
// A node is one 64-bit word. An entry's number, read as such a word, is a leaf for that entry. So finished
// lanes do not move, and only the gather needs a mask of the lanes that continue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/schemes/lc_trie/kernels.hpp"
#include "fingerpost/simd/eight_avx512.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::lc_trie {
namespace {

using namespace simd;

constexpr unsigned vectors = group_lanes / 8;

FINGERPOST_INLINE __m512i low_half(__m512i x) {
    return _mm512_and_si512(x, all_eight(0xffffffff));
}

template <class A>
constexpr input_form form_of = A::bits == 32 ? input_form::ipv4 : input_form::ipv6;

struct lanes {
    __m512i node; // node number; for a leaf, the entry's number
    __m512i rest; // remaining bits
    __m512i done; // number of bits consumed
    __mmask8 going;
};

FINGERPOST_INLINE void step(__m512i word, lanes& l) {
    const __m512i branch = _mm512_and_si512(_mm512_srli_epi64(word, 32), all_eight(0xff));
    const __m512i skip = _mm512_srli_epi64(word, 40);
    l.rest = _mm512_sllv_epi64(l.rest, skip);
    // A shift by 64 gives zero.
    const __m512i number = _mm512_srlv_epi64(l.rest, _mm512_sub_epi64(all_eight(64), branch));
    l.node = _mm512_add_epi64(low_half(word), number);
    l.rest = _mm512_sllv_epi64(l.rest, branch);
    l.done = _mm512_add_epi64(l.done, _mm512_add_epi64(branch, skip));
    l.going = _mm512_test_epi64_mask(branch, branch);
}

// The parts of eight entries that a lookup reads: the first 64 bits, next hop and chain, length.
struct entries_words {
    __m512i high;
    __m512i hop;
    __m512i chain;
    __m512i length;
};
template <class A>
FINGERPOST_INLINE entries_words read(const base_entry<A>* base, __m512i at) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(base);
    constexpr int words = sizeof *base / 8;
    const __m512i place = _mm512_mullo_epi64(at, all_eight(words));
    if constexpr (A::bits == 32) {
        const __m512i first = _mm512_i64gather_epi64(place, bytes, 8);
        const __m512i second = _mm512_i64gather_epi64(place, bytes + 8, 8);
        return {_mm512_slli_epi64(first, 32), _mm512_srli_epi64(first, 32), low_half(second),
                _mm512_and_si512(_mm512_srli_epi64(second, 32), all_eight(0xff))};
    } else {
        const __m512i high = _mm512_i64gather_epi64(place, bytes + 8 * high_word, 8);
        const __m512i both = _mm512_i64gather_epi64(place, bytes + 16, 8);
        const __m512i length = _mm512_i64gather_epi64(place, bytes + 24, 8);
        return {high, low_half(both), _mm512_srli_epi64(both, 32), _mm512_and_si512(length, all_eight(0xff))};
    }
}

// The lanes whose addresses match entries of these lengths, at most 64.
FINGERPOST_INLINE __mmask8 agrees(__m512i differing, __m512i length) {
    const __m512i wrong = _mm512_srlv_epi64(differing, _mm512_sub_epi64(all_eight(64), length));
    return _mm512_testn_epi64_mask(wrong, wrong);
}

// Sets `hop` to the next hop of the first matching cover, for the lanes of `pending`.
FINGERPOST_INLINE void follow_chains(const prefix_entry* prefixes, __m512i differing, __m512i chain,
                                     __mmask8 pending, __m512i& hop) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(prefixes);
    for (;;) {
        pending &= _mm512_cmpneq_epi64_mask(chain, all_eight(no_prefix));
        if (pending == 0)
            return;
        const __m512i place = _mm512_add_epi64(_mm512_slli_epi64(chain, 3), _mm512_slli_epi64(chain, 2));
        const __m512i both = _mm512_mask_i64gather_epi64(chain, pending, place, bytes, 1);
        const __m256i length = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), pending, place,
                                                           bytes + offsetof(prefix_entry, length), 1);
        const __mmask8 right =
            pending & agrees(differing, _mm512_and_si512(_mm512_cvtepu32_epi64(length), all_eight(0xff)));
        hop = _mm512_mask_mov_epi64(hop, right, low_half(both));
        chain = _mm512_srli_epi64(both, 32);
        pending &= static_cast<__mmask8>(~right);
    }
}

// Writes the next hops of finished lanes, and returns a mask of the others.
template <class A>
FINGERPOST_INLINE std::uint64_t answer(const lc_trie_view<A>& view, const A* in, const lanes& l,
                                       std::uint32_t* out) {
    const entries_words entries = read(view.base, l.node);
    const __m512i differing = _mm512_xor_si512(load_high<form_of<A>>(in, 0), entries.high);
    const auto missed = static_cast<__mmask8>(~agrees(differing, entries.length));
    __m512i hop = _mm512_mask_mov_epi64(entries.hop, missed, all_eight(0xffffffff));
    follow_chains(view.prefixes, differing, entries.chain, missed, hop);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_cvtepi64_epi32(hop));
    return _mm512_cmpgt_epu64_mask(_mm512_max_epu64(l.done, entries.length), all_eight(64)) & 0xffu;
}

template <class A>
std::uint64_t look_up_group(const lc_trie_view<A>& view, const A* in, std::uint32_t* out) noexcept {
    lanes states[vectors];
    long long root;
    __builtin_memcpy(&root, view.trie, sizeof root);
    unroll<vectors>([&](auto vector) FINGERPOST_LAMBDA {
        constexpr std::size_t v = vector.value;
        states[v] = {all_eight(0), load_high<form_of<A>>(in, 8 * v), all_eight(0), 0};
        step(all_eight(root), states[v]);
    });
    for (unsigned any = 1; any != 0;) {
        any = 0;
        unroll<vectors>([&](auto vector) FINGERPOST_LAMBDA {
            lanes& l = states[vector.value];
            step(_mm512_mask_i64gather_epi64(l.node, l.going, l.node, view.trie, sizeof(trie_node)), l);
            any |= l.going;
        });
    }
    std::uint64_t left = 0;
    unroll<vectors>([&](auto vector) FINGERPOST_LAMBDA {
        constexpr std::size_t v = vector.value;
        left |= answer(view, in + 8 * v, states[v], out + 8 * v) << (8 * v);
    });
    return left;
}

constinit const kernel_set all_kernels = {look_up_group<ipv4_address>, look_up_group<ipv6_address>};

} // namespace
} // namespace fingerpost::lc_trie
