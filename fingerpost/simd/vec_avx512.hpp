// The operations of the kernels with 512-bit vectors and mask registers.
#pragma once

#include <cstdint>
#include <immintrin.h>

#include "fingerpost/simd/inline.hpp"

namespace fingerpost::simd {
namespace {

struct vec {
    using key = __m512i;

    // 16 keys and 16 offsets fill the two register files; see docs/schemes/planb.md for 8 against 16.
    static constexpr unsigned lanes = 16;
    static constexpr std::uint64_t key_bias = 0;

    static FINGERPOST_INLINE key broadcast(std::uint64_t x) {
        return _mm512_set1_epi64(static_cast<long long>(x));
    }

    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_below(const std::uint64_t* node, key x) {
        std::uint64_t count = 0;
        unroll<Keys / 8>([&](auto half) FINGERPOST_LAMBDA {
            count += population(_mm512_cmplt_epu64_mask(_mm512_load_si512(node + half.value * 8), x));
        });
        return count;
    }
    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_not_above(const std::uint64_t* node, key x) {
        std::uint64_t count = 0;
        unroll<Keys / 8>([&](auto half) FINGERPOST_LAMBDA {
            count += population(_mm512_cmple_epu64_mask(_mm512_load_si512(node + half.value * 8), x));
        });
        return count;
    }
    static FINGERPOST_INLINE bool plain_below(std::uint64_t stored, std::uint64_t biased) {
        return stored < biased;
    }

  private:
    static FINGERPOST_INLINE std::uint64_t population(__mmask8 mask) {
        // g++ 12 may spill the mask as one byte and read back four, with three bytes of rubbish. The empty
        // assembly makes it put the mask into a general register first, where it is spilt whole.
        unsigned bits = _cvtmask8_u32(mask);
        __asm__("" : "+r"(bits));
        return static_cast<std::uint64_t>(__builtin_popcount(bits));
    }
};

} // namespace
} // namespace fingerpost::simd
