// The operations of the kernels with 512-bit vectors and mask registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/simd/inline.hpp"

namespace fingerpost::simd {
namespace {

struct vec {
    using key = __m512i;

    // 16 keys and 16 offsets fill the two register files; see docs/schemes/planb.md for 8 against 16.
    static constexpr unsigned lanes = 16;
    static constexpr unsigned packed_lanes = 8;
    static constexpr std::uint64_t key_bias = 0;
    static constexpr bool signed_keys = false;

    static FINGERPOST_INLINE key broadcast(std::uint64_t x) {
        return _mm512_set1_epi64(static_cast<long long>(x));
    }

    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_below(const std::uint64_t* node, key x) {
        std::uint64_t count = 0;
        unroll<Keys / 8>([&](auto half) FINGERPOST_LAMBDA {
            count += population(_mm512_cmpgt_epu64_mask(x, _mm512_load_si512(node + half.value * 8)));
        });
        return count;
    }
    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_not_above(const std::uint64_t* node, key x) {
        std::uint64_t count = 0;
        unroll<Keys / 8>([&](auto half) FINGERPOST_LAMBDA {
            count += population(_mm512_cmpge_epu64_mask(x, _mm512_load_si512(node + half.value * 8)));
        });
        return count;
    }
    // Keys of a packed line; the mask keeps what lies behind the keys out of the count.
    template <class Key>
    struct lane {
        __m512i all;
    };
    template <class Key>
    static FINGERPOST_INLINE lane<Key> broadcast_key(Key x) {
        if constexpr (sizeof(Key) == 4)
            return {_mm512_set1_epi32(static_cast<int>(x))};
        else
            return {_mm512_set1_epi16(static_cast<short>(x))};
    }
    template <class Key, unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t below(const std::byte* line, lane<Key> x) {
        constexpr auto kept = (std::uint64_t{1} << Keys) - 1;
        if constexpr (sizeof(Key) == 4)
            return population(_mm512_mask_cmpgt_epu32_mask(kept, x.all, _mm512_loadu_si512(line)));
        else
            return population(_mm512_mask_cmpgt_epu16_mask(kept, x.all, _mm512_loadu_si512(line)));
    }
    static FINGERPOST_INLINE bool plain_below(std::uint64_t stored, std::uint64_t biased) {
        return stored < biased;
    }

  private:
    template <class Mask>
    static FINGERPOST_INLINE std::uint64_t population(Mask mask) {
        // g++ 12 may spill a mask at its own width and read back four bytes, the rest of them rubbish. The
        // empty assembly makes it put the mask into a general register first, where it is spilt whole.
        unsigned bits = mask;
        __asm__("" : "+r"(bits));
        return static_cast<std::uint64_t>(__builtin_popcount(bits));
    }
};

} // namespace
} // namespace fingerpost::simd
