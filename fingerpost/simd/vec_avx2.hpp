// Kernel operations with 256-bit vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>
#include <type_traits>

#include "fingerpost/simd/byte_swap_x86.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/stored_key.hpp"

namespace fingerpost::simd {
namespace {

struct vec {
    using key = __m256i;
    using key_32 = __m256i;

    static constexpr unsigned lanes = 8;
    static constexpr unsigned lanes_32 = 8;

    static FINGERPOST_INLINE key broadcast(std::uint64_t x) {
        return _mm256_set1_epi64x(static_cast<long long>(stored_key(x)));
    }
    static FINGERPOST_INLINE key_32 broadcast(std::uint32_t x) {
        return _mm256_set1_epi32(static_cast<int>(stored_key(x)));
    }

    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_below(const std::uint64_t* node, key x) {
        std::uint64_t count = 0;
        unroll<Keys / 8>([&](auto half) FINGERPOST_LAMBDA {
            const auto* words = reinterpret_cast<const __m256i*>(node + half.value * 8);
            count += population(_mm256_cmpgt_epi64(x, _mm256_load_si256(words)),
                                _mm256_cmpgt_epi64(x, _mm256_load_si256(words + 1)));
        });
        return count;
    }
    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_not_above(const std::uint64_t* node, key x) {
        std::uint64_t above = 0;
        unroll<Keys / 8>([&](auto half) FINGERPOST_LAMBDA {
            const auto* words = reinterpret_cast<const __m256i*>(node + half.value * 8);
            above += population(_mm256_cmpgt_epi64(_mm256_load_si256(words), x),
                                _mm256_cmpgt_epi64(_mm256_load_si256(words + 1), x));
        });
        return Keys - above;
    }
    // Counts in 32-bit keys, 16 to a cache line.
    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_below(const std::uint32_t* node, key_32 x) {
        std::uint64_t count = 0;
        unroll<Keys / 16>([&](auto half) FINGERPOST_LAMBDA {
            const auto* words = reinterpret_cast<const __m256i*>(node + half.value * 16);
            count += population_32(_mm256_cmpgt_epi32(x, _mm256_load_si256(words)),
                                   _mm256_cmpgt_epi32(x, _mm256_load_si256(words + 1)));
        });
        return count;
    }
    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_not_above(const std::uint32_t* node, key_32 x) {
        std::uint64_t above = 0;
        unroll<Keys / 16>([&](auto half) FINGERPOST_LAMBDA {
            const auto* words = reinterpret_cast<const __m256i*>(node + half.value * 16);
            above += population_32(_mm256_cmpgt_epi32(_mm256_load_si256(words), x),
                                   _mm256_cmpgt_epi32(_mm256_load_si256(words + 1), x));
        });
        return Keys - above;
    }
    // A cache line of 32-bit keys, stored with their top bit flipped.
    template <class Key>
    struct lane {
        __m256i spread;
    };
    template <class Key>
    static FINGERPOST_INLINE lane<Key> broadcast_key(Key x) {
        static_assert(sizeof(Key) == 4);
        return {_mm256_set1_epi32(static_cast<int>(stored_key(x)))};
    }
    // Like broadcast_key(), for a key in memory. It costs less, because the load broadcasts it.
    template <class Key>
    static FINGERPOST_INLINE lane<Key> load_key(const std::byte* at) {
        int x;
        __builtin_memcpy(&x, at, sizeof x);
        return {_mm256_xor_si256(_mm256_set1_epi32(x), _mm256_set1_epi32(static_cast<int>(bias_of<Key>)))};
    }
    template <class Key, unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t below(const std::byte* line, lane<Key> x) {
        static_assert(Keys <= 16);
        const auto* words = reinterpret_cast<const __m256i*>(line);
        const __m256i low = _mm256_cmpgt_epi32(x.spread, _mm256_load_si256(words));
        const __m256i high = _mm256_cmpgt_epi32(x.spread, _mm256_load_si256(words + 1));
        const auto both = static_cast<unsigned>(_mm256_movemask_epi8(_mm256_packs_epi32(low, high)));
        // Each key has two bits.
        return static_cast<std::uint64_t>(__builtin_popcount(both & packed_bits(Keys))) / 2;
    }
    // Words i and i + 4 of a cache line are a pair. Returns a mask of the pairs with this first word and with
    // these upper 8 bits of the second one.
    static FINGERPOST_INLINE unsigned equal_pairs(const std::uint64_t* line, std::uint64_t first,
                                                  std::uint64_t second) {
        const auto* halves = reinterpret_cast<const __m256i*>(line);
        const __m256i firsts =
            _mm256_cmpeq_epi64(_mm256_load_si256(halves), _mm256_set1_epi64x(static_cast<long long>(first)));
        const __m256i seconds = _mm256_cmpeq_epi64(_mm256_srli_epi64(_mm256_load_si256(halves + 1), 56),
                                                   _mm256_set1_epi64x(static_cast<long long>(second >> 56)));
        return static_cast<unsigned>(
            _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_and_si256(firsts, seconds))));
    }

  private:
    // Bits of the first keys of a line. The pack puts keys 0 to 3 and 8 to 11 into the lower half.
    static constexpr unsigned packed_bits(unsigned keys) {
        unsigned bits = 0;
        for (unsigned k = 0; k < keys; ++k) {
            const unsigned place = k / 4 == 1 ? k + 4 : k / 4 == 2 ? k - 4 : k;
            bits |= 3u << (2 * place);
        }
        return bits;
    }
    static FINGERPOST_INLINE std::uint64_t count_bits(unsigned bits) {
        return static_cast<std::uint64_t>(__builtin_popcount(bits));
    }
    // Two compare results packed to 8 dwords, with one sign bit each.
    static FINGERPOST_INLINE std::uint64_t population(__m256i low, __m256i high) {
        const __m256i packed = _mm256_packs_epi32(low, high);
        const auto bits = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(packed)));
        return count_bits(bits);
    }
    // For 32-bit keys the results are packed to 16 words, with two sign bits each.
    static FINGERPOST_INLINE std::uint64_t population_32(__m256i low, __m256i high) {
        const __m256i packed = _mm256_packs_epi32(low, high);
        return count_bits(static_cast<unsigned>(_mm256_movemask_epi8(packed))) / 2;
    }
};

// Reverses numbers of `Width` bytes in `bytes` bytes, with any alignment.
struct byte_swap {
    static constexpr std::size_t bytes = 32;

    template <std::size_t Width>
    static FINGERPOST_INLINE void swap(const unsigned char* in, void* out) {
        const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in));
        _mm256_storeu_si256(
            static_cast<__m256i*>(out),
            _mm256_shuffle_epi8(words, _mm256_broadcastsi128_si256(byte_swap_order<Width>())));
    }
};

} // namespace
} // namespace fingerpost::simd
