// Kernel operations without vector instructions. They define the results of all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/stored_key.hpp"

namespace fingerpost::simd {
namespace {

struct vec {
    using key = std::int64_t;
    using key_32 = std::int32_t;

    // Unrolled scalar code is long, so a few lanes already keep the CPU busy.
    static constexpr unsigned lanes = 4;
    static constexpr unsigned lanes_32 = 4;

    static FINGERPOST_INLINE key broadcast(std::uint64_t x) { return static_cast<key>(stored_key(x)); }
    static FINGERPOST_INLINE key_32 broadcast(std::uint32_t x) { return static_cast<key_32>(stored_key(x)); }

    template <unsigned Keys, class Key, class Signed>
    static FINGERPOST_INLINE std::uint64_t count_below(const Key* node, Signed x) {
        std::uint64_t count = 0;
        unroll<Keys>([&](auto k) FINGERPOST_LAMBDA { count += static_cast<Signed>(node[k.value]) < x; });
        return count;
    }
    template <unsigned Keys, class Key, class Signed>
    static FINGERPOST_INLINE std::uint64_t count_not_above(const Key* node, Signed x) {
        std::uint64_t count = 0;
        unroll<Keys>([&](auto k) FINGERPOST_LAMBDA { count += static_cast<Signed>(node[k.value]) <= x; });
        return count;
    }
    // Counts the keys below x among the first `Keys` 32-bit keys, stored with their top bit flipped.
    template <class Key>
    using lane = std::make_signed_t<Key>;
    template <class Key>
    static FINGERPOST_INLINE lane<Key> broadcast_key(Key x) {
        return static_cast<lane<Key>>(stored_key(x));
    }
    template <class Key>
    static FINGERPOST_INLINE lane<Key> load_key(const std::byte* at) {
        Key x;
        __builtin_memcpy(&x, at, sizeof x);
        return broadcast_key(x);
    }
    template <class Key, unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t below(const std::byte* line, lane<Key> x) {
        std::uint64_t count = 0;
        for (unsigned k = 0; k < Keys; ++k) {
            lane<Key> stored;
            __builtin_memcpy(&stored, line + k * sizeof(Key), sizeof(Key));
            count += stored < x;
        }
        return count;
    }
    static FINGERPOST_INLINE unsigned equal_pairs(const std::uint64_t* line, std::uint64_t first,
                                                  std::uint64_t second) {
        return equal_pairs_one_by_one(line, first, second);
    }
};

// Without shuffles: addresses are reversed singly.
struct byte_swap {
    static constexpr std::size_t bytes = 0;
    template <std::size_t Width>
    static FINGERPOST_INLINE void swap(const unsigned char*, void*) {}
};

} // namespace
} // namespace fingerpost::simd
