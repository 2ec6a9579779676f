// Lookups in length bitmaps with gathers: 16 addresses in each vector, four vectors interleaved. The probes
// of a lookup are independent, so 64 loads of each level overlap. Lanes that have found their slot are masked
// out only after eight levels: if each gather waited for the previous one, this would be slower than scalar
// code.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/fib/parts/lengths/length_kernels.hpp"
#include "fingerpost/fib/parts/lengths/length_levels.hpp"
#include "fingerpost/net/address.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::length_kernels {
namespace {

using namespace simd;

constexpr unsigned vectors = group_lanes / 16;

FINGERPOST_INLINE __m512i all_of(std::uint32_t x) {
    return _mm512_set1_epi32(static_cast<int>(x));
}

template <unsigned Step>
class group : entry_layout {
    using levels = length_levels<ipv4_address, Step>;
    // Number of levels that are probed before testing whether all lanes have found their slot.
    static constexpr unsigned at_once = 8;

  public:
    static FINGERPOST_INLINE void look_up(const arrays& from, const void* addresses, std::uint32_t* out) {
        const auto* const in = static_cast<const std::uint32_t*>(addresses);
        __m512i address[vectors];
        __m512i place[vectors];
        __mmask16 open[vectors];
        unroll<vectors>([&](auto vector) FINGERPOST_LAMBDA {
            constexpr std::size_t v = vector.value;
            address[v] = _mm512_loadu_si512(in + 16 * v);
            place[v] = all_of(static_cast<std::uint32_t>(levels::slots));
            open[v] = 0xffff;
        });
        find<0>(from.bitmap, address, place, open);
        unroll<vectors>([&](auto vector) FINGERPOST_LAMBDA {
            constexpr std::size_t v = vector.value;
            const __m512i entry = _mm512_i32gather_epi32(place[v], from.entries, 4);
            const __mmask16 in_chunk = _mm512_movepi32_mask(entry);
            const __m512i chunk = _mm512_and_si512(entry, all_of(~chunk_tag));
            const __m512i slot = _mm512_and_si512(address[v], all_of(levels::rest_mask));
            const __m512i at = _mm512_add_epi32(chunk, _mm512_add_epi32(slot, all_of(head_words)));
            const __m512i words = _mm512_mask_i32gather_epi32(entry, in_chunk, at, from.chunks, 4);
            const __m512i code = _mm512_and_si512(words, all_of(code_mask));
            _mm512_storeu_si512(out + 16 * v, _mm512_sub_epi32(code, all_of(1)));
        });
    }

  private:
    // Replaces a lane's slot by the slot of the longest level with a set bit, if there is one.
    template <unsigned From>
    static FINGERPOST_INLINE void find(const std::uint64_t* bitmap, const __m512i* address, __m512i* place,
                                       __mmask16* open) {
        constexpr unsigned some = std::min(at_once, levels::count - From);
        unsigned left = 0;
        unroll<vectors>([&](auto vector) FINGERPOST_LAMBDA {
            constexpr std::size_t v = vector.value;
            const __mmask16 active = open[v];
            unroll<some>([&](auto level) FINGERPOST_LAMBDA {
                probe<From + level.value>(bitmap, address[v], place[v], active, open[v]);
            });
            left |= open[v];
        });
        if constexpr (From + some < levels::count)
            if (left != 0)
                find<From + some>(bitmap, address, place, open);
    }
    template <unsigned Level>
    static FINGERPOST_INLINE void probe(const std::uint64_t* bitmap, __m512i address, __m512i& place,
                                        __mmask16 active, __mmask16& open) {
        constexpr auto begin = static_cast<std::uint32_t>(levels::begins[Level]);
        const __m512i at =
            _mm512_add_epi32(_mm512_srli_epi32(address, levels::rest + Level * Step), all_of(begin));
        const __m512i word =
            _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), active, _mm512_srli_epi32(at, 5), bitmap, 4);
        // Moves the probed bit to the top.
        const __m512i shift = _mm512_andnot_si512(at, all_of(31));
        const __mmask16 hit = open & _mm512_movepi32_mask(_mm512_sllv_epi32(word, shift));
        place = _mm512_mask_mov_epi32(place, hit, at);
        open &= static_cast<__mmask16>(~hit);
    }
};

template <unsigned Step>
void look_up_group(const arrays& from, const void* addresses, std::uint32_t* out) noexcept {
    group<Step>::look_up(from, addresses, out);
}

constinit const kernel_set all_kernels = {look_up_group<1>, look_up_group<6>};

} // namespace
} // namespace fingerpost::length_kernels
