// Lookups in an allotment routing table with gathers: 16 addresses a vector and four vectors in turn, so that
// 64 loads of a level overlap. A level that none of the 64 lanes needs is skipped with one branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/schemes/art/kernels.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::art {
namespace {

using namespace simd;

FINGERPOST_INLINE __m512i all_of(std::uint32_t x) {
    return _mm512_set1_epi32(static_cast<int>(x));
}

std::uint64_t look_up_group(const arrays& from, const void* addresses, std::uint32_t* out) noexcept {
    constexpr unsigned vectors = group_lanes / 16;
    constexpr unsigned levels = 32 / stride;
    const auto* const in = static_cast<const std::uint32_t*>(addresses);
    __m512i address[vectors];
    __m512i content[vectors];
    __mmask16 deeper[vectors];
    __mmask16 going[vectors];
    unroll<vectors>([&](auto vector) FINGERPOST_LAMBDA {
        constexpr std::size_t v = vector.value;
        address[v] = _mm512_loadu_si512(in + 16 * v);
        const __m512i place = _mm512_add_epi32(_mm512_srli_epi32(address[v], 32 - stride),
                                               all_of(from.root * node::entries + fringe));
        content[v] = _mm512_i32gather_epi32(place, from.entries, 4);
        going[v] = deeper[v] = _mm512_movepi32_mask(content[v]);
    });
    unroll<levels - 1>([&](auto level) FINGERPOST_LAMBDA {
        unsigned any = 0;
        unroll<vectors>([&](auto vector) FINGERPOST_LAMBDA { any |= going[vector.value]; });
        if (any == 0)
            return;
        unroll<vectors>([&](auto vector) FINGERPOST_LAMBDA {
            constexpr std::size_t v = vector.value;
            // The shift also drops node_bit.
            static_assert(node::entries == 512);
            const __m512i octet = _mm512_and_si512(
                _mm512_srli_epi32(address[v], 32 - stride * (level.value + 2)), all_of(fringe - 1));
            const __m512i place =
                _mm512_add_epi32(_mm512_slli_epi32(content[v], 9), _mm512_add_epi32(octet, all_of(fringe)));
            content[v] = _mm512_mask_i32gather_epi32(content[v], going[v], place, from.entries, 4);
            going[v] &= _mm512_movepi32_mask(content[v]);
        });
    });
    std::uint64_t turned = 0;
    unroll<vectors>([&](auto vector) FINGERPOST_LAMBDA {
        constexpr std::size_t v = vector.value;
        const __mmask16 has_route = _mm512_test_epi32_mask(content[v], content[v]);
        const __m512i hop = _mm512_mask_i32gather_epi32(
            all_of(~std::uint32_t{0}), has_route, _mm512_sub_epi32(content[v], all_of(1)), from.routes, 4);
        _mm512_storeu_si512(out + 16 * v, hop);
        turned |= std::uint64_t{static_cast<std::uint16_t>(deeper[v] & ~has_route)} << (16 * v);
    });
    return turned;
}

} // namespace
} // namespace fingerpost::art
