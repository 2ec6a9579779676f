// Kernel operations with 512-bit vectors and mask registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/simd/byte_swap_x86.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/stored_key.hpp"

namespace fingerpost::simd {
namespace {

struct vec {
    using key = __m512i;
    using key_32 = __m512i;

    // 16 keys and 16 offsets fill the two register files. docs/why/experiments compares 8 with 16.
    static constexpr unsigned lanes = 16;
    static constexpr unsigned lanes_32 = 16;

    static FINGERPOST_INLINE key broadcast(std::uint64_t x) {
        return _mm512_set1_epi64(static_cast<long long>(stored_key(x)));
    }
    static FINGERPOST_INLINE key_32 broadcast(std::uint32_t x) {
        return _mm512_set1_epi32(static_cast<int>(stored_key(x)));
    }

    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_below(const std::uint64_t* node, key x) {
        std::uint64_t count = 0;
        unroll<Keys / 8>([&](auto half) FINGERPOST_LAMBDA {
            count += population(_mm512_cmpgt_epi64_mask(x, _mm512_load_si512(node + half.value * 8)));
        });
        return count;
    }
    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_not_above(const std::uint64_t* node, key x) {
        std::uint64_t count = 0;
        unroll<Keys / 8>([&](auto half) FINGERPOST_LAMBDA {
            count += population(_mm512_cmpge_epi64_mask(x, _mm512_load_si512(node + half.value * 8)));
        });
        return count;
    }
    // Counts in 32-bit keys, 16 to a cache line.
    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_below(const std::uint32_t* node, key_32 x) {
        std::uint64_t count = 0;
        unroll<Keys / 16>([&](auto half) FINGERPOST_LAMBDA {
            count += population(_mm512_cmpgt_epi32_mask(x, _mm512_load_si512(node + half.value * 16)));
        });
        return count;
    }
    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_not_above(const std::uint32_t* node, key_32 x) {
        std::uint64_t count = 0;
        unroll<Keys / 16>([&](auto half) FINGERPOST_LAMBDA {
            count += population(_mm512_cmpge_epi32_mask(x, _mm512_load_si512(node + half.value * 16)));
        });
        return count;
    }
    // A cache line of 32-bit keys, stored with their top bit flipped. A mask excludes bytes after the keys.
    template <class Key>
    struct lane {
        __m512i spread;
    };
    template <class Key>
    static FINGERPOST_INLINE lane<Key> broadcast_key(Key x) {
        static_assert(sizeof(Key) == 4);
        return {_mm512_set1_epi32(static_cast<int>(stored_key(x)))};
    }
    // Like broadcast_key(), for a key in memory. It costs less, because the load broadcasts it.
    template <class Key>
    static FINGERPOST_INLINE lane<Key> load_key(const std::byte* at) {
        int x;
        __builtin_memcpy(&x, at, sizeof x);
        return {_mm512_xor_si512(_mm512_set1_epi32(x), _mm512_set1_epi32(static_cast<int>(bias_of<Key>)))};
    }
    template <class Key, unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t below(const std::byte* line, lane<Key> x) {
        constexpr auto counted = static_cast<__mmask16>((1u << Keys) - 1);
        return population(_mm512_mask_cmpgt_epi32_mask(counted, x.spread, _mm512_load_si512(line)));
    }

    // Words i and i + 4 of a cache line are a pair. Returns a mask of the pairs with this first word and with
    // these upper 8 bits of the second one.
    static FINGERPOST_INLINE unsigned equal_pairs(const std::uint64_t* line, std::uint64_t first,
                                                  std::uint64_t second) {
        const __m512i sought = _mm512_mask_set1_epi64(_mm512_set1_epi64(static_cast<long long>(first)), 0xf0,
                                                      static_cast<long long>(second));
        const __m512i differ = _mm512_xor_si512(_mm512_load_si512(line), sought);
        const __m512i compared = _mm512_mask_set1_epi64(_mm512_set1_epi64(-1), 0xf0, -(1LL << 56));
        unsigned equal = _mm512_testn_epi64_mask(differ, compared);
        __asm__("" : "+r"(equal)); // see population()
        return equal & equal >> 4;
    }

  private:
    template <class Mask>
    static FINGERPOST_INLINE std::uint64_t population(Mask mask) {
        // g++ 12 may spill a mask at its own width and read back four bytes, some of them garbage. The empty
        // assembly forces the mask into a general register first, which is spilled completely.
        unsigned bits = mask;
        __asm__("" : "+r"(bits));
        return static_cast<std::uint64_t>(__builtin_popcount(bits));
    }
};

// Reverses numbers of `Width` bytes in `bytes` bytes, with any alignment.
struct byte_swap {
    static constexpr std::size_t bytes = 64;

    template <std::size_t Width>
    static FINGERPOST_INLINE void swap(const unsigned char* in, void* out) {
        _mm512_storeu_si512(out, _mm512_shuffle_epi8(_mm512_loadu_si512(in),
                                                     _mm512_broadcast_i32x4(byte_swap_order<Width>())));
    }
};

} // namespace
} // namespace fingerpost::simd
