// Eight lookups in the words of one 512-bit vector: the common part of the AVX-512 kernels of bitmap tries.
//
// A gather of eight words costs as much as eight loads. So each lane loads its node by one load, and shuffles
// combine the same word of eight nodes in one vector. Included only by files that are compiled for AVX-512.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/simd/eight_avx512.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/input_form.hpp"

namespace fingerpost::wide {
namespace {

using simd::bits_of;
using simd::constant;
using simd::input_form;
using simd::load_high;
using simd::populations;
using simd::unroll;

// Nodes of 12, 16 or 24 bytes. Missing bytes of the last word read as zero. No byte after a node is read,
// because it may be the last one of its array.
template <unsigned Bytes>
class eight_nodes {
    static_assert(Bytes == 12 || Bytes == 16 || Bytes == 24);
    static constexpr unsigned unit = Bytes % 8 == 0 ? 8 : 4;
    static constexpr unsigned units = Bytes / unit;

  public:
    // Byte offsets for node numbers.
    static FINGERPOST_INLINE __m512i offsets(__m512i numbers) {
        const __m512i twice = _mm512_slli_epi64(numbers, 1);
        return units == 3 ? _mm512_add_epi64(twice, numbers) : twice;
    }
    static FINGERPOST_INLINE std::uint32_t number(std::uint64_t offset) {
        return static_cast<std::uint32_t>(offset / units);
    }
    // The offsets are stored as whole vectors, because a masked store cannot be forwarded to the loads.
    FINGERPOST_INLINE eight_nodes(const void* nodes, __m512i offsets) {
        const auto* const from = static_cast<const std::byte*>(nodes);
        alignas(64) std::uint64_t at[8];
        _mm512_store_si512(at, offsets);
        if constexpr (Bytes > 16) {
            unroll<4>([&](auto pair) FINGERPOST_LAMBDA {
                parts_[pair.value] =
                    _mm512_inserti64x4(_mm512_castsi256_si512(load_long(from + unit * at[2 * pair.value])),
                                       load_long(from + unit * at[2 * pair.value + 1]), 1);
            });
        } else {
            unroll<2>([&](auto half) FINGERPOST_LAMBDA {
                const auto two = [&](unsigned lane) FINGERPOST_LAMBDA {
                    return _mm256_inserti128_si256(_mm256_castsi128_si256(load_short(from + unit * at[lane])),
                                                   load_short(from + unit * at[lane + 2]), 1);
                };
                parts_[half.value] =
                    _mm512_inserti64x4(_mm512_castsi256_si512(two(half.value)), two(half.value + 4), 1);
            });
        }
    }
    template <unsigned Word>
    FINGERPOST_INLINE __m512i word() const {
        static_assert(8 * Word < Bytes);
        if constexpr (Bytes <= 16)
            return Word == 0 ? _mm512_unpacklo_epi64(parts_[0], parts_[1])
                             : _mm512_unpackhi_epi64(parts_[0], parts_[1]);
        const __m512i pick = _mm512_setr_epi64(Word, Word + 4, Word + 8, Word + 12, 0, 0, 0, 0);
        const __m512i low = _mm512_permutex2var_epi64(parts_[0], pick, parts_[1]);
        const __m512i high = _mm512_permutex2var_epi64(parts_[2], pick, parts_[3]);
        return _mm512_inserti64x4(low, _mm512_castsi512_si256(high), 1);
    }

  private:
    static FINGERPOST_INLINE __m256i load_long(const std::byte* at) {
        return _mm256_maskz_loadu_epi64((1u << (Bytes / 8)) - 1, at);
    }
    static FINGERPOST_INLINE __m128i load_short(const std::byte* at) {
        return Bytes == 16 ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(at))
                           : _mm_maskz_loadu_epi32(7, at);
    }
    // Long nodes: two neighbouring lanes in each part. Short nodes: the even lanes, then the odd ones.
    __m512i parts_[Bytes > 16 ? 4 : 2];
};

FINGERPOST_INLINE __m512i less_one(__m512i x) {
    return _mm512_add_epi64(x, _mm512_set1_epi64(-1));
}

// Steps all groups of eight lanes, `Stride` bits at a time from `position`, until on average at most half a
// lane of each group continues, or until a step would need bits past the first 64. Lanes that have ended
// repeat their last step. step(constant<group>) returns the lanes of the group that continue. Returns the
// lanes of `present` that still continue.
template <unsigned Groups, unsigned Stride, class Step>
FINGERPOST_INLINE std::uint64_t step_together(std::uint64_t present, unsigned& position, Step step) {
    std::uint64_t live = present;
    for (; position <= 64 - Stride && __builtin_popcountll(live) > static_cast<int>(Groups / 2);
         position += Stride) {
        std::uint64_t continuing = 0;
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            continuing |= std::uint64_t{step(group)} << (8 * group.value);
        });
        live = continuing & present;
    }
    return live;
}

// Calls rest(lane, offset) for each lane of `live`, with the lane's offset.
template <unsigned Groups, class OffsetsOf, class Rest>
FINGERPOST_INLINE void for_each_live(std::uint64_t live, OffsetsOf offsets_of, Rest rest) {
    if (live == 0)
        return;
    alignas(64) std::uint64_t last[8 * Groups];
    unroll<Groups>([&](auto group)
                       FINGERPOST_LAMBDA { _mm512_store_si512(last + 8 * group.value, offsets_of(group)); });
    for (; live != 0; live &= live - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(live));
        rest(lane, last[lane]);
    }
}

// The last two positions on the path of each lookup that are tested only at its end. A position is a 32-bit
// number, not 0, and the next eight bits of the address there.
template <unsigned Groups>
class places_to_ask {
  public:
    FINGERPOST_INLINE void clear() {
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            last_[group.value] = before_[group.value] = _mm512_setzero_si512();
        });
    }
    // `left` is complemented. Lanes that have ended repeat their last step, which is recorded only once.
    FINGERPOST_INLINE void note(unsigned group, __mmask8 which, __m512i numbers, __m512i left) {
        const __m512i slots =
            _mm512_and_si512(left, _mm512_set1_epi64(static_cast<long long>(0xffull << 56)));
        const __m512i place = _mm512_or_si512(numbers, slots);
        const __mmask8 is_new = _mm512_mask_cmpneq_epi64_mask(which, place, last_[group]);
        before_[group] = _mm512_mask_mov_epi64(before_[group], is_new, last_[group]);
        last_[group] = _mm512_mask_mov_epi64(last_[group], is_new, place);
    }
    // ask(lane, number, slot) returns true if it has found the result. Returns the lanes of `asking` whose
    // recorded positions have no result; they may have passed more positions than were recorded.
    template <class Ask>
    FINGERPOST_INLINE std::uint64_t ask(std::uint64_t asking, Ask ask) const {
        alignas(64) std::uint64_t last[8 * Groups];
        alignas(64) std::uint64_t before[8 * Groups];
        std::uint64_t has_last = 0;
        unroll<Groups>([&](auto group) FINGERPOST_LAMBDA {
            constexpr unsigned g = group.value;
            _mm512_store_si512(last + 8 * g, last_[g]);
            _mm512_store_si512(before + 8 * g, before_[g]);
            has_last |= std::uint64_t{bits_of(_mm512_test_epi64_mask(last_[g], last_[g]))} << (8 * g);
        });
        const auto answers = [&](unsigned lane, std::uint64_t place) FINGERPOST_LAMBDA {
            return ask(lane, static_cast<std::uint32_t>(place), static_cast<unsigned>(~place >> 56));
        };
        std::uint64_t open = 0;
        for (asking &= has_last; asking != 0; asking &= asking - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(asking));
            if (!answers(lane, last[lane]) && before[lane] != 0 && !answers(lane, before[lane]))
                open |= std::uint64_t{1} << lane;
        }
        return open;
    }

  private:
    __m512i last_[Groups];
    __m512i before_[Groups];
};

// Calls block(constant<groups>, first) for blocks of eight groups, then of four, while there are enough
// addresses. Returns the number of these addresses.
template <class Block>
FINGERPOST_INLINE std::size_t cover_in_groups(std::size_t count, Block block) {
    std::size_t first = 0;
    for (; count - first >= 64; first += 64)
        block(constant<8>{}, first);
    for (; count - first >= 32; first += 32)
        block(constant<4>{}, first);
    return first;
}

} // namespace
} // namespace fingerpost::wide
