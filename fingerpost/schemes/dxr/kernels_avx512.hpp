// DXR with gathers: 16 addresses a vector, four vectors at a time, so that 64 loads overlap.
//
// All lanes halve their ranges until the longest run has one left. Positions count bytes. A short entry is
// loaded together with the two bytes before it, so the entry is in the upper half of its lane. Keys of short
// entries have ones in the lower half, which makes that half irrelevant. So a step is the same for both
// forms: it computes half of the count and its bytes, gathers, compares and blends. Word 0 is not part of any
// chunk. It precedes the first short entry, and lanes without ranges read it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/net/address.hpp"
#include "fingerpost/schemes/dxr/format.hpp"
#include "fingerpost/schemes/dxr/kernels.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::dxr {
namespace {

using namespace simd;

constexpr std::size_t lanes = 16;

FINGERPOST_INLINE __m512i all_of(std::uint32_t x) {
    return _mm512_set1_epi32(static_cast<int>(x));
}

// The positions of 16 chunks' entries in the direct table.
template <bool Blocks>
FINGERPOST_INLINE __m512i places_of(const range_arrays& from, __m512i chunks) {
    if constexpr (!Blocks) {
        return chunks;
    } else {
        const __m128i in_block = _mm_cvtsi32_si128(static_cast<int>(from.in_block));
        const __m512i which = _mm512_srl_epi32(chunks, in_block);
        // Loads aligned words of two numbers each. On x86, numbers with an odd index are in the upper halves.
        const __m512i words = _mm512_i32gather_epi32(_mm512_srli_epi32(which, 1), from.blocks, 4);
        const __m512i odd = _mm512_and_si512(which, all_of(1));
        const __m512i numbers = _mm512_and_si512(_mm512_srlv_epi32(words, _mm512_slli_epi32(odd, 4)),
                                                 all_of(std::uint32_t{0xffff}));
        const __m512i mask = all_of((std::uint32_t{1} << from.in_block) - 1);
        return _mm512_or_si512(_mm512_sll_epi32(numbers, in_block), _mm512_and_si512(chunks, mask));
    }
}

template <unsigned X, bool Blocks, unsigned Groups>
FINGERPOST_INLINE void look_up_groups(const range_arrays& from, const std::uint32_t* in, std::uint32_t* out) {
    using form = format<ipv4_address, X>;
    const __m512i unit = all_of(1);
    __m512i entry[Groups], at[Groups], key[Groups], count[Groups], shift[Groups];
    __mmask16 is_short[Groups], is_hit[Groups];
    __m512i longest = unit;
    unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
        constexpr std::size_t g = group.value;
        const __m512i chunks = _mm512_srli_epi32(_mm512_loadu_si512(in + g * lanes), form::rest);
        entry[g] = _mm512_i32gather_epi32(places_of<Blocks>(from, chunks), from.direct, 4);
    });
    unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
        constexpr std::size_t g = group.value;
        const __m512i offset = _mm512_slli_epi32(_mm512_loadu_si512(in + g * lanes), form::long_code);
        const __m512i f = _mm512_and_si512(entry[g], all_of(form::fragments));
        const __m512i base = _mm512_srli_epi32(entry[g], form::fragment_bits);
        is_short[g] = _mm512_cmpge_epu32_mask(f, all_of(form::shortest));
        is_hit[g] = _mm512_cmpeq_epi32_mask(f, all_of(form::hit));
        const __m512i start =
            _mm512_slli_epi32(_mm512_srli_epi32(offset, form::long_code + form::low), 16 + form::short_code);
        key[g] = _mm512_or_si512(_mm512_mask_mov_epi32(offset, is_short[g], start),
                                 _mm512_mask_mov_epi32(all_of(form::long_mask), is_short[g],
                                                       all_of(form::short_code_mask << 16 | form::half)));
        const __m512i fragments = _mm512_mask_and_epi32(f, is_short[g], f, all_of(form::short_mask));
        count[g] = _mm512_add_epi32(fragments, unit);
        count[g] = _mm512_mask_slli_epi32(count[g], is_short[g], count[g], 1);
        count[g] = _mm512_mask_mov_epi32(count[g], is_hit[g], unit);
        at[g] = _mm512_maskz_slli_epi32(static_cast<__mmask16>(~is_hit[g]), base, 2);
        at[g] = _mm512_mask_sub_epi32(at[g], is_short[g], at[g], all_of(2));
        if (const __mmask16 is_xl = _mm512_cmpeq_epi32_mask(f, all_of(form::xl)); is_xl != 0) [[unlikely]] {
            count[g] = _mm512_mask_i32gather_epi32(count[g], is_xl, base, from.ranges, 4);
            count[g] = _mm512_mask_add_epi32(count[g], is_xl, count[g], unit);
            at[g] = _mm512_mask_add_epi32(at[g], is_xl, at[g], all_of(4));
        }
        shift[g] = _mm512_mask_mov_epi32(all_of(2), is_short[g], unit);
        longest = _mm512_max_epu32(longest, count[g]);
    });
    const auto most = static_cast<std::uint32_t>(_mm512_reduce_max_epu32(longest));
    for (int left = std::bit_width(most - 1); left > 0; --left)
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr std::size_t g = group.value;
            const __m512i half = _mm512_srli_epi32(count[g], 1);
            const __m512i there = _mm512_add_epi32(at[g], _mm512_sllv_epi32(half, shift[g]));
            const __m512i probe = _mm512_i32gather_epi32(there, from.ranges, 1);
            at[g] = _mm512_mask_mov_epi32(at[g], _mm512_cmple_epu32_mask(probe, key[g]), there);
            count[g] = _mm512_sub_epi32(count[g], half);
        });
    unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
        constexpr std::size_t g = group.value;
        __m512i code = _mm512_i32gather_epi32(at[g], from.ranges, 1);
        code = _mm512_mask_srli_epi32(code, is_short[g], code, 16);
        code = _mm512_and_si512(
            code, _mm512_mask_mov_epi32(all_of(form::long_mask), is_short[g], all_of(form::short_code_mask)));
        code = _mm512_mask_srli_epi32(code, is_hit[g], entry[g], form::fragment_bits);
        _mm512_storeu_si512(out + g * lanes, _mm512_sub_epi32(code, unit));
    });
}

template <unsigned X, bool Blocks>
std::size_t look_up_all_groups(const range_arrays& from, const std::uint32_t* addresses, std::uint32_t* out,
                               std::size_t count) noexcept {
    std::size_t done = 0;
    for (; done + 4 * lanes <= count; done += 4 * lanes)
        look_up_groups<X, Blocks, 4>(from, addresses + done, out + done);
    for (; done + lanes <= count; done += lanes)
        look_up_groups<X, Blocks, 1>(from, addresses + done, out + done);
    return done;
}

constinit const kernel_set all_kernels = {look_up_all_groups<16, false>, look_up_all_groups<18, false>,
                                          look_up_all_groups<20, false>, look_up_all_groups<20, true>};

} // namespace
} // namespace fingerpost::dxr
