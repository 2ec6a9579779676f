// A small random number generator that gives the same numbers on every platform and with every library.
#pragma once

#include <bit>
#include <cstdint>

#include "fingerpost/base/bits.hpp"

namespace fingerpost::bench {

// splitmix64 (Steele, Lea and Flood, OOPSLA 2014): spreads a seed of few bits over all 64.
constexpr std::uint64_t splitmix64(std::uint64_t& state) noexcept {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

// xoshiro256** 1.0 (Blackman and Vigna, public domain). The standard leaves the distributions of <random> to
// the library, so only our own integer arithmetic is used here.
class random_source {
  public:
    // Streams of one seed are independent: each stage of a generator uses its own, so that a change in one
    // stage does not affect the draws of the others.
    explicit constexpr random_source(std::uint64_t seed, std::uint64_t stream = 0) noexcept {
        std::uint64_t mix = seed ^ (stream * 0xd1342543de82ef95);
        for (std::uint64_t& word : state_)
            word = splitmix64(mix);
    }

    constexpr std::uint64_t next() noexcept {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    // A number in [0, bound), or 0 for bound 0. The bias is bound / 2^64.
    constexpr std::uint64_t below(std::uint64_t bound) noexcept {
        return static_cast<std::uint64_t>((static_cast<u128>(next()) * bound) >> 64);
    }

    constexpr bool chance(std::uint32_t permille) noexcept { return below(1000) < permille; }

    // The low `count` bits are random, the others zero.
    template <class U>
    constexpr U bits(unsigned count) noexcept {
        if constexpr (sizeof(U) <= 8) {
            return static_cast<U>(next() & low_mask<std::uint64_t>(count));
        } else {
            // Two statements, because compilers may order two draws in one expression as they like.
            const U high = U{next()} << 64;
            return (high | next()) & low_mask<U>(count);
        }
    }

  private:
    std::uint64_t state_[4]{};
};

} // namespace fingerpost::bench
