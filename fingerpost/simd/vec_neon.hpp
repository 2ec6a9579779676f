// Kernel operations with the 128-bit vectors of 64-bit ARM.
#pragma once

#include <arm_neon.h>
#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/stored_key.hpp"

namespace fingerpost::simd {
namespace {

struct vec {
    using key = int64x2_t;
    using key_32 = int32x4_t;

    static constexpr unsigned lanes = 8;
    static constexpr unsigned lanes_32 = 8;

    static FINGERPOST_INLINE key broadcast(std::uint64_t x) {
        return vreinterpretq_s64_u64(vdupq_n_u64(stored_key(x)));
    }
    static FINGERPOST_INLINE key_32 broadcast(std::uint32_t x) {
        return vreinterpretq_s32_u32(vdupq_n_u32(stored_key(x)));
    }

    static FINGERPOST_INLINE key load_signed(const std::uint64_t* keys) {
        return vreinterpretq_s64_u64(vld1q_u64(keys));
    }
    static FINGERPOST_INLINE key_32 load_signed(const std::uint32_t* keys) {
        return vreinterpretq_s32_u32(vld1q_u32(keys));
    }
    // A compare returns all ones, which is minus one as a number, so the sum of the lanes is minus the count.
    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_below(const std::uint64_t* node, key x) {
        uint64x2_t sum = vdupq_n_u64(0);
        unroll<Keys / 2>([&](auto pair) FINGERPOST_LAMBDA {
            sum = vaddq_u64(sum, vcltq_s64(load_signed(node + pair.value * 2), x));
        });
        return std::uint64_t{0} - vaddvq_u64(sum);
    }
    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_not_above(const std::uint64_t* node, key x) {
        uint64x2_t sum = vdupq_n_u64(0);
        unroll<Keys / 2>([&](auto pair) FINGERPOST_LAMBDA {
            sum = vaddq_u64(sum, vcleq_s64(load_signed(node + pair.value * 2), x));
        });
        return std::uint64_t{0} - vaddvq_u64(sum);
    }
    // Counts in 32-bit keys.
    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_below(const std::uint32_t* node, key_32 x) {
        uint32x4_t sum = vdupq_n_u32(0);
        unroll<Keys / 4>([&](auto i) FINGERPOST_LAMBDA {
            sum = vaddq_u32(sum, vcltq_s32(load_signed(node + i.value * 4), x));
        });
        return std::uint32_t{0} - vaddvq_u32(sum);
    }
    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_not_above(const std::uint32_t* node, key_32 x) {
        uint32x4_t sum = vdupq_n_u32(0);
        unroll<Keys / 4>([&](auto i) FINGERPOST_LAMBDA {
            sum = vaddq_u32(sum, vcleq_s32(load_signed(node + i.value * 4), x));
        });
        return std::uint32_t{0} - vaddvq_u32(sum);
    }
    // A cache line of 32-bit keys. The top bits of the compares are summed. Keys that do not fill a vector
    // are counted singly.
    template <class Key>
    struct lane {
        std::int32_t plain;
        int32x4_t spread;
    };
    template <class Key>
    static FINGERPOST_INLINE lane<Key> broadcast_key(Key x) {
        static_assert(sizeof(Key) == 4);
        const auto stored = static_cast<std::int32_t>(stored_key(x));
        return {stored, vdupq_n_s32(stored)};
    }
    template <class Key>
    static FINGERPOST_INLINE lane<Key> load_key(const std::byte* at) {
        Key x;
        __builtin_memcpy(&x, at, sizeof x);
        return broadcast_key(x);
    }
    template <class Key, unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t below(const std::byte* line, lane<Key> x) {
        const auto* keys = reinterpret_cast<const std::int32_t*>(line);
        uint32x4_t sum = vdupq_n_u32(0);
        unroll<Keys / 4>([&](auto i) FINGERPOST_LAMBDA {
            sum = vaddq_u32(sum, vshrq_n_u32(vcltq_s32(vld1q_s32(keys + i.value * 4), x.spread), 31));
        });
        std::uint64_t count = vaddvq_u32(sum);
        unroll<Keys % 4>([&](auto i) FINGERPOST_LAMBDA { count += keys[Keys / 4 * 4 + i.value] < x.plain; });
        return count;
    }
    static FINGERPOST_INLINE unsigned equal_pairs(const std::uint64_t* line, std::uint64_t first,
                                                  std::uint64_t second) {
        return equal_pairs_one_by_one(line, first, second);
    }
};

// Reverses numbers of `Width` bytes in `bytes` bytes, with any alignment.
struct byte_swap {
    static constexpr std::size_t bytes = 16;

    template <std::size_t Width>
    static FINGERPOST_INLINE void swap(const unsigned char* in, void* out) {
        static_assert(Width == 4 || Width == 16);
        const uint8x16_t words = vld1q_u8(in);
        if constexpr (Width == 4) {
            vst1q_u8(static_cast<unsigned char*>(out), vrev32q_u8(words));
        } else {
            const uint8x16_t halves = vrev64q_u8(words);
            vst1q_u8(static_cast<unsigned char*>(out), vextq_u8(halves, halves, 8));
        }
    }
};

} // namespace
} // namespace fingerpost::simd
