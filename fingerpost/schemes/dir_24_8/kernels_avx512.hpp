// Direct tables with gathers: 16 addresses a vector, four vectors at a time, so that 64 loads overlap.
//
// Spill groups take a second, masked gather. One branch for 16 addresses skips it if no lane needs it,
// because it takes as long as the first gather even with an empty mask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/fib/parts/multibit/entry_gathers_avx512.hpp"
#include "fingerpost/schemes/dir_24_8/kernels.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::dir_24_8 {
namespace {

using namespace simd;
using namespace gathers;

template <unsigned Bytes, unsigned Groups>
FINGERPOST_INLINE void look_up_groups(const entry_arrays& from, const std::uint32_t* in, std::uint32_t* out) {
    using entries = sixteen_entries<Bytes>;
    const __m128i rest = _mm_cvtsi32_si128(static_cast<int>(from.rest));
    const __m512i rest_mask = all_of((std::uint32_t{1} << from.rest) - 1);
    __m512i address[Groups];
    __m512i entry[Groups];
    unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
        constexpr std::size_t g = group.value;
        address[g] = _mm512_loadu_si512(in + g * least_group);
        entry[g] = entries::load(from.table, _mm512_srl_epi32(address[g], rest));
    });
    unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
        constexpr std::size_t g = group.value;
        if (const __mmask16 spilled = entries::lead_on(entry[g]); spilled != 0) {
            const __m512i place = _mm512_or_si512(_mm512_sll_epi32(entries::groups(entry[g]), rest),
                                                  _mm512_and_si512(address[g], rest_mask));
            entry[g] = entries::load(from.spill, place, entry[g], spilled);
        }
        _mm512_storeu_si512(out + g * least_group, entries::answers(entry[g]));
    });
}

template <unsigned Bytes>
std::size_t look_up_all_groups(const entry_arrays& from, const std::uint32_t* addresses, std::uint32_t* out,
                               std::size_t count) noexcept {
    std::size_t done = 0;
    for (; done + 4 * least_group <= count; done += 4 * least_group)
        look_up_groups<Bytes, 4>(from, addresses + done, out + done);
    for (; done + least_group <= count; done += least_group)
        look_up_groups<Bytes, 1>(from, addresses + done, out + done);
    return done;
}

constinit const kernel_set all_kernels = {look_up_all_groups<2>, look_up_all_groups<4>};

} // namespace
} // namespace fingerpost::dir_24_8
