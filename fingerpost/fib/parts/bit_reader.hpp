// The bits of an address from the top, some at a time: the indices that a multibit trie is walked with.
#pragma once

#include <cstdint>

#include "fingerpost/net/address.hpp"

namespace fingerpost {

// Past the end of the address all bits read as zero.
template <class A>
class bit_reader {
  public:
    constexpr bit_reader() = default;
    constexpr explicit bit_reader(A a) noexcept : high_(top64(a)), low_(bottom64(a)) {}

    // `count` from 1 to 63.
    constexpr std::uint64_t take(unsigned count) noexcept {
        const std::uint64_t taken = high_ >> (64 - count);
        if constexpr (A::bits > 64) {
            high_ = high_ << count | low_ >> (64 - count);
            low_ <<= count;
        } else {
            high_ <<= count;
        }
        return taken;
    }

    // The bits that come next, from the top.
    constexpr std::uint64_t next() const noexcept { return high_; }
    // `count` from 0 to 63.
    constexpr void skip(unsigned count) noexcept {
        high_ <<= count;
        if constexpr (A::bits > 64) {
            high_ |= low_ >> 1 >> (63 - count);
            low_ <<= count;
        }
    }

  private:
    std::uint64_t high_ = 0;
    std::uint64_t low_ = 0;
};

} // namespace fingerpost
