// The operations of the kernels with the 128-bit vectors of 64-bit ARM.
#pragma once

#include <arm_neon.h>
#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/inline.hpp"

namespace fingerpost::simd {
namespace {

struct vec {
    using key = uint64x2_t;

    static constexpr unsigned lanes = 8;
    static constexpr unsigned packed_lanes = 8;
    static constexpr bool signed_keys = false;
    static constexpr std::uint64_t key_bias = 0;

    static FINGERPOST_INLINE key broadcast(std::uint64_t x) { return vdupq_n_u64(x); }

    // A compare yields all ones, minus one as a number: the sum of the lanes is minus the count.
    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_below(const std::uint64_t* node, key x) {
        uint64x2_t sum = vdupq_n_u64(0);
        unroll<Keys / 2>([&](auto pair) FINGERPOST_LAMBDA {
            sum = vaddq_u64(sum, vcltq_u64(vld1q_u64(node + pair.value * 2), x));
        });
        return std::uint64_t{0} - vaddvq_u64(sum);
    }
    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_not_above(const std::uint64_t* node, key x) {
        uint64x2_t sum = vdupq_n_u64(0);
        unroll<Keys / 2>([&](auto pair) FINGERPOST_LAMBDA {
            sum = vaddq_u64(sum, vcleq_u64(vld1q_u64(node + pair.value * 2), x));
        });
        return std::uint64_t{0} - vaddvq_u64(sum);
    }
    // Keys of a packed line. Compares are summed as above; keys that do not fill a vector are counted one by
    // one.
    template <class Key>
    struct lane {
        Key plain;
        uint8x16_t all;
    };
    template <class Key>
    static FINGERPOST_INLINE lane<Key> broadcast_key(Key x) {
        if constexpr (sizeof(Key) == 4)
            return {x, vreinterpretq_u8_u32(vdupq_n_u32(x))};
        else
            return {x, vreinterpretq_u8_u16(vdupq_n_u16(x))};
    }
    template <class Key, unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t below(const std::byte* line, lane<Key> x) {
        constexpr unsigned in_vector = 16 / sizeof(Key);
        constexpr unsigned whole = Keys / in_vector;
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(line);
        std::uint64_t count = 0;
        unroll<whole>([&](auto i) FINGERPOST_LAMBDA {
            count += whole_below<Key>(vld1q_u8(bytes + i.value * 16), x.all);
        });
        unroll<Keys % in_vector>([&](auto i) FINGERPOST_LAMBDA {
            Key stored;
            __builtin_memcpy(&stored, line + whole * 16 + i.value * sizeof(Key), sizeof(Key));
            count += stored < x.plain;
        });
        return count;
    }
    static FINGERPOST_INLINE bool plain_below(std::uint64_t stored, std::uint64_t biased) {
        return stored < biased;
    }

  private:
    // The top bit of every lane of the compare, added up.
    template <class Key>
    static FINGERPOST_INLINE std::uint64_t whole_below(uint8x16_t stored, uint8x16_t x) {
        if constexpr (sizeof(Key) == 4)
            return vaddvq_u32(
                vshrq_n_u32(vcltq_u32(vreinterpretq_u32_u8(stored), vreinterpretq_u32_u8(x)), 31));
        else
            return vaddvq_u16(
                vshrq_n_u16(vcltq_u16(vreinterpretq_u16_u8(stored), vreinterpretq_u16_u8(x)), 15));
    }
};

} // namespace
} // namespace fingerpost::simd
