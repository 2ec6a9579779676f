// Direct tables with gathers: 16 addresses a vector, four vectors at a time, so that 64 loads are under way
// together.
//
// Each lane of a gather is one load of 32 bits: of an entry, or of the aligned word that holds an entry of 16
// bits, which reads nothing behind an array of an even number of entries. An entry of the spill array is
// loaded after the entry that leads to it, so that a FIB may be patched meanwhile as chunked_table.hpp says.
//
// Spill groups take a second gather under a mask. It is passed over where no lane of the vector needs it,
// which is one branch for 16 addresses: without it that gather takes as long as the first one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/schemes/dir_24_8/kernels.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::dir_24_8 {
namespace {

using namespace simd;

FINGERPOST_INLINE __m512i all_of(std::uint32_t x) {
    return _mm512_set1_epi32(static_cast<int>(x));
}

// Of entries of two bytes what stands above the lower half of a lane means nothing.
template <unsigned Bytes>
struct sixteen_entries {
    static constexpr std::uint32_t extended = std::uint32_t{1} << (Bytes * 8 - 1);

    static FINGERPOST_INLINE __m512i load(const void* array, __m512i places) {
        if constexpr (Bytes == 4)
            return _mm512_i32gather_epi32(places, array, 4);
        else
            return halves(_mm512_i32gather_epi32(_mm512_srli_epi32(places, 1), array, 4), places);
    }
    // In the lanes of the mask, the others keep what they have.
    static FINGERPOST_INLINE __m512i load(const void* array, __m512i places, __m512i now, __mmask16 which) {
        if constexpr (Bytes == 4) {
            return _mm512_mask_i32gather_epi32(now, which, places, array, 4);
        } else {
            const __m512i words =
                _mm512_mask_i32gather_epi32(now, which, _mm512_srli_epi32(places, 1), array, 4);
            return _mm512_mask_mov_epi32(now, which, halves(words, places));
        }
    }
    static FINGERPOST_INLINE __mmask16 lead_on(__m512i entries) {
        return _mm512_test_epi32_mask(entries, all_of(extended));
    }
    static FINGERPOST_INLINE __m512i groups(__m512i entries) {
        return _mm512_and_si512(entries, all_of(extended - 1));
    }
    static FINGERPOST_INLINE __m512i answers(__m512i entries) {
        const __m512i codes = Bytes == 4 ? entries : _mm512_and_si512(entries, all_of(std::uint32_t{0xffff}));
        return _mm512_sub_epi32(codes, all_of(1));
    }

  private:
    // The entries in words of two, the odd ones in the upper half as x86 stores them.
    static FINGERPOST_INLINE __m512i halves(__m512i words, __m512i places) {
        const __m512i odd = _mm512_and_si512(places, all_of(1));
        return _mm512_srlv_epi32(words, _mm512_slli_epi32(odd, 4));
    }
};

template <unsigned Bytes, unsigned Groups>
FINGERPOST_INLINE void look_up_groups(const entry_arrays& from, const std::uint32_t* in, std::uint32_t* out) {
    using entries = sixteen_entries<Bytes>;
    const __m128i rest = _mm_cvtsi32_si128(static_cast<int>(from.rest));
    const __m512i rest_mask = all_of((std::uint32_t{1} << from.rest) - 1);
    __m512i address[Groups];
    __m512i now[Groups];
    unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
        constexpr std::size_t g = group.value;
        address[g] = _mm512_loadu_si512(in + g * least_group);
        now[g] = entries::load(from.table, _mm512_srl_epi32(address[g], rest));
    });
    unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
        constexpr std::size_t g = group.value;
        if (const __mmask16 spilled = entries::lead_on(now[g]); spilled != 0) {
            const __m512i place = _mm512_or_si512(_mm512_sll_epi32(entries::groups(now[g]), rest),
                                                  _mm512_and_si512(address[g], rest_mask));
            now[g] = entries::load(from.spill, place, now[g], spilled);
        }
        _mm512_storeu_si512(out + g * least_group, entries::answers(now[g]));
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
