// Tools for all kernel bodies: forced inlining, and unrolled loops.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "fingerpost/base/cxx20.hpp"

#define FINGERPOST_INLINE __attribute__((always_inline)) inline
#define FINGERPOST_LAMBDA __attribute__((always_inline))

namespace fingerpost::simd {
namespace {

template <unsigned Value>
struct constant {
    static constexpr unsigned value = Value;
};

template <class F, unsigned... I>
FINGERPOST_INLINE void unroll_over(F& f, std::integer_sequence<unsigned, I...>) {
    (f(constant<I>{}), ...);
}

// Calls f(constant<0>) to f(constant<Count - 1>) as straight-line code.
template <unsigned Count, class F>
FINGERPOST_INLINE void unroll(F f) {
    unroll_over(f, std::make_integer_sequence<unsigned, Count>{});
}

// Words i and i + 4 of a cache line are a pair. Returns a mask of the pairs with this first word and with
// these upper 8 bits of the second one. For instruction sets without compare masks.
FINGERPOST_INLINE unsigned equal_pairs_one_by_one(const std::uint64_t* line, std::uint64_t first,
                                                  std::uint64_t second) {
    unsigned mask = 0;
    unroll<4>([&](auto i) FINGERPOST_LAMBDA {
        const std::uint64_t differ = (line[i.value] ^ first) | (line[i.value + 4] ^ second) >> 56;
        mask |= unsigned{differ == 0} << i.value;
    });
    return mask;
}

// Number of set bits.
FINGERPOST_INLINE unsigned population(std::uint64_t bits) {
#if defined(__x86_64__) && !defined(__POPCNT__)
    // Without the instruction, the builtin would call a function that uses a table.
    bits -= (bits >> 1) & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return static_cast<unsigned>((bits * 0x0101010101010101) >> 56);
#else
    return static_cast<unsigned>(__builtin_popcountll(bits));
#endif
}

// Calls block(constant<n>, first) until all of `count` addresses are covered: first with blocks of `Lanes`,
// then with half as many. The last block overlaps addresses already done. If there are fewer than half a
// block, addresses are handled singly.
template <unsigned Lanes, class Block>
FINGERPOST_INLINE void cover_batch(std::size_t count, Block block) {
    constexpr unsigned half = Lanes / 2;
    std::size_t done = 0;
    for (; done + Lanes <= count; done += Lanes)
        block(constant<Lanes>{}, done);
    while (done < count && count >= half) {
        const std::size_t first = done + half <= count ? done : count - half;
        block(constant<half>{}, first);
        done = first + half;
    }
    for (; done < count; ++done)
        block(constant<1>{}, done);
}

// Index of the word of an address<128> that has its first 64 bits.
constexpr std::size_t high_word = std::endian::native == std::endian::little ? 1 : 0;

} // namespace
} // namespace fingerpost::simd
