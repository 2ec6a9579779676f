// XXH64, the 64-bit checksum of the xxHash family, written from its specification. Its speed is limited only
// by memory. Any change within one 8-byte word changes the checksum.
//
// Source: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {
namespace detail {

class xxh64_state {
    static constexpr std::uint64_t p1 = 0x9e3779b185ebca87u;
    static constexpr std::uint64_t p2 = 0xc2b2ae3d27d4eb4fu;
    static constexpr std::uint64_t p3 = 0x165667b19e3779f9u;
    static constexpr std::uint64_t p4 = 0x85ebca77c2b2ae63u;
    static constexpr std::uint64_t p5 = 0x27d4eb2f165667c5u;

  public:
    static std::uint64_t of(const std::byte* at, std::size_t size, std::uint64_t seed) noexcept {
        const std::byte* const end = at + size;
        std::uint64_t sum = seed + p5;
        if (size >= 32) {
            std::uint64_t lanes[4] = {seed + p1 + p2, seed + p2, seed, seed - p1};
            for (; end - at >= 32; at += 32)
                for (unsigned i = 0; i < 4; ++i)
                    lanes[i] = round(lanes[i], load_little<std::uint64_t>(at + i * 8));
            sum = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
                  std::rotl(lanes[3], 18);
            for (const std::uint64_t lane : lanes)
                sum = (sum ^ round(0, lane)) * p1 + p4;
        }
        return finish(sum + size, at, end);
    }

  private:
    static std::uint64_t round(std::uint64_t lane, std::uint64_t word) noexcept {
        return std::rotl(lane + word * p2, 31) * p1;
    }
    static std::uint64_t finish(std::uint64_t sum, const std::byte* at, const std::byte* end) noexcept {
        for (; end - at >= 8; at += 8)
            sum = std::rotl(sum ^ round(0, load_little<std::uint64_t>(at)), 27) * p1 + p4;
        if (end - at >= 4) {
            sum = std::rotl(sum ^ load_little<std::uint32_t>(at) * p1, 23) * p2 + p3;
            at += 4;
        }
        for (; at != end; ++at)
            sum = std::rotl(sum ^ static_cast<std::uint64_t>(*at) * p5, 11) * p1;
        sum = (sum ^ sum >> 33) * p2;
        sum = (sum ^ sum >> 29) * p3;
        return sum ^ sum >> 32;
    }
};

} // namespace detail

inline std::uint64_t xxh64(std::span<const std::byte> data, std::uint64_t seed = 0) noexcept {
    return detail::xxh64_state::of(data.data(), data.size(), seed);
}

} // namespace fingerpost
