// SAIL_L with gathers: 16 addresses a vector, four vectors at a time, so that 64 loads overlap. Finished
// lanes are masked out.
//
// A gather loads each slot separately, and a chunk's slots only after the slot that leads to the chunk. So a
// FIB may be patched meanwhile, as chunked_table.hpp explains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/fib/parts/multibit/leading_words_avx512.hpp"
#include "fingerpost/schemes/sail_l/kernels.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::sail_l {
namespace {

using namespace simd;
using namespace gathers;

constexpr std::size_t group_lanes = 16;

// Takes one step for every lane with a chunk. `left` has the unused bits.
FINGERPOST_INLINE void step(const word* chunks, __m512i& slots, __m512i& left) {
    const __m512i place = _mm512_or_si512(_mm512_slli_epi32(slots, 8), _mm512_srli_epi32(left, 24));
    slots = _mm512_mask_i32gather_epi32(slots, _mm512_movepi32_mask(slots), place, chunks, sizeof(word));
    left = _mm512_slli_epi32(left, 8);
}

template <bool Ipv6, unsigned Groups>
FINGERPOST_INLINE void look_up_groups(const word* root, const word* chunks, const std::byte* in,
                                      std::uint32_t* out) {
    constexpr unsigned size = Ipv6 ? 16 : 4;
    __m512i slots[Groups];
    __m512i left[Groups];
    __m512i after[Groups];
    unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
        constexpr std::size_t g = group.value;
        const leading_words words = load_group<Ipv6>(in + g * group_lanes * size);
        slots[g] = _mm512_i32gather_epi32(_mm512_srli_epi32(words.first, 16), root, sizeof(word));
        left[g] = _mm512_or_si512(_mm512_slli_epi32(words.first, 16), _mm512_srli_epi32(words.second, 16));
        after[g] = _mm512_slli_epi32(words.second, 16);
    });
    for (unsigned level = 0; level < (Ipv6 ? 6 : 2); ++level) {
        __m512i any = slots[0];
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA { any = _mm512_or_si512(any, slots[group.value]); });
        if (_mm512_movepi32_mask(any) == 0)
            break;
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr std::size_t g = group.value;
            step(chunks, slots[g], left[g]);
            if (level == 3)
                left[g] = after[g];
        });
    }
    unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
        constexpr std::size_t g = group.value;
        _mm512_storeu_si512(out + g * group_lanes, _mm512_sub_epi32(slots[g], _mm512_set1_epi32(1)));
    });
}

template <bool Ipv6>
std::size_t look_up_all_groups(const word* root, const word* chunks, const void* addresses,
                               std::uint32_t* out, std::size_t count) noexcept {
    constexpr unsigned size = Ipv6 ? 16 : 4;
    const auto* in = static_cast<const std::byte*>(addresses);
    std::size_t done = 0;
    for (; done + 4 * group_lanes <= count; done += 4 * group_lanes)
        look_up_groups<Ipv6, 4>(root, chunks, in + done * size, out + done);
    for (; done + group_lanes <= count; done += group_lanes)
        look_up_groups<Ipv6, 1>(root, chunks, in + done * size, out + done);
    return done;
}

constinit const kernel_set all_kernels = {look_up_all_groups<false>, look_up_all_groups<true>};

} // namespace
} // namespace fingerpost::sail_l
