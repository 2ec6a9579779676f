// The trie with gathers, level by level: 16 addresses a vector, four vectors in turn, so that 64 loads of a
// level overlap.
//
// A vector takes part in a level only while one of its lanes has a group to descend to, which is one branch
// for 16 addresses. Vectors hold the first 64 bits of the addresses, which are five levels. The few lanes
// that need more bits finish byte by byte.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <immintrin.h>
#include <type_traits>

#include "fingerpost/fib/parts/multibit/entry_gathers_avx512.hpp"
#include "fingerpost/fib/parts/multibit/leading_words_avx512.hpp"
#include "fingerpost/schemes/trie_24_8/kernels.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::trie_24_8 {
namespace {

using namespace simd;
using namespace gathers;

constexpr std::size_t group_lanes = 16;
constexpr std::size_t address_bytes = 16;
constexpr unsigned gathered_levels = 5;

// Continues from an entry with a group for the bits after the first 64. The last byte of an address comes
// first in memory.
template <unsigned Bytes>
std::uint32_t finish(const void* chunks, std::uint32_t entry, const unsigned char* address) {
    using word = std::conditional_t<Bytes == 2, std::uint16_t, std::uint32_t>;
    constexpr std::uint32_t extended = sixteen_entries<Bytes>::extended;
    for (std::size_t byte = address_bytes / 2; (entry & extended) != 0; --byte) {
        const std::size_t place = std::size_t{entry & (extended - 1)} << 8 | address[byte - 1];
        entry = __atomic_load_n(static_cast<const word*>(chunks) + place, __ATOMIC_ACQUIRE);
    }
    return entry;
}

template <unsigned Bytes, unsigned Groups>
FINGERPOST_INLINE void look_up_groups(const void* root, const void* chunks, const unsigned char* in,
                                      std::uint32_t* out) {
    using entries = sixteen_entries<Bytes>;
    __m512i entry[Groups];
    __m512i left[Groups];  // remaining bits, the next ones at the top
    __m512i after[Groups]; // the bits after those
    unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
        constexpr std::size_t g = group.value;
        const leading_words words = load_group<true>(in + g * group_lanes * address_bytes);
        entry[g] = entries::load(root, _mm512_srli_epi32(words.first, 8));
        left[g] = _mm512_or_si512(_mm512_slli_epi32(words.first, 24), _mm512_srli_epi32(words.second, 8));
        after[g] = _mm512_slli_epi32(words.second, 24);
    });
    for (unsigned level = 0; level < gathered_levels; ++level) {
        __mmask16 any = 0;
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr std::size_t g = group.value;
            const __mmask16 on = entries::lead_on(entry[g]);
            any = static_cast<__mmask16>(any | on);
            if (on != 0) {
                const __m512i place = _mm512_or_si512(_mm512_slli_epi32(entries::groups(entry[g]), 8),
                                                      _mm512_srli_epi32(left[g], 24));
                entry[g] = entries::load(chunks, place, entry[g], on);
            }
            left[g] = level == 3 ? after[g] : _mm512_slli_epi32(left[g], 8);
        });
        if (any == 0)
            break;
    }
    unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
        constexpr std::size_t g = group.value;
        _mm512_storeu_si512(out + g * group_lanes, entries::answers(entry[g]));
        for (unsigned on = entries::lead_on(entry[g]); on != 0; on &= on - 1) [[unlikely]] {
            const std::size_t lane = g * group_lanes + static_cast<unsigned>(std::countr_zero(on));
            out[lane] = finish<Bytes>(chunks, out[lane] + 1, in + lane * address_bytes) - 1;
        }
    });
}

template <unsigned Bytes>
std::size_t look_up_all_groups(const void* root, const void* chunks, const void* addresses,
                               std::uint32_t* out, std::size_t count) noexcept {
    const auto* const in = static_cast<const unsigned char*>(addresses);
    std::size_t done = 0;
    for (; done + 4 * group_lanes <= count; done += 4 * group_lanes)
        look_up_groups<Bytes, 4>(root, chunks, in + done * address_bytes, out + done);
    for (; done + group_lanes <= count; done += group_lanes)
        look_up_groups<Bytes, 1>(root, chunks, in + done * address_bytes, out + done);
    return done;
}

constinit const kernel_set all_kernels = {look_up_all_groups<2>, look_up_all_groups<4>};

} // namespace
} // namespace fingerpost::trie_24_8
