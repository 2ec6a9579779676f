// The operations of the kernels without vector instructions; what they mean is defined here.
#pragma once

#include <cstdint>

#include "fingerpost/simd/inline.hpp"

namespace fingerpost::simd {
namespace {

struct vec {
    using key = std::uint64_t;

    // Unrolled scalar nodes are long, so few lanes already fill the machine.
    static constexpr unsigned lanes = 4;
    static constexpr std::uint64_t key_bias = 0;

    static FINGERPOST_INLINE key broadcast(std::uint64_t x) { return x; }

    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_below(const std::uint64_t* node, key x) {
        std::uint64_t count = 0;
        unroll<Keys>([&](auto k) FINGERPOST_LAMBDA { count += node[k.value] < x; });
        return count;
    }
    template <unsigned Keys>
    static FINGERPOST_INLINE std::uint64_t count_not_above(const std::uint64_t* node, key x) {
        std::uint64_t count = 0;
        unroll<Keys>([&](auto k) FINGERPOST_LAMBDA { count += node[k.value] <= x; });
        return count;
    }
    static FINGERPOST_INLINE bool plain_below(std::uint64_t stored, std::uint64_t biased) {
        return stored < biased;
    }
};

} // namespace
} // namespace fingerpost::simd
