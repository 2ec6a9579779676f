// Enumerates every table of up to three routes on five bits, with every pattern of equal and different next
// hops.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing {

// Which of up to three routes share a next hop: all partitions of three elements. Ids start at 0, which is
// valid.
using hop_pattern = std::array<std::uint8_t, 3>;
inline constexpr std::array<hop_pattern, 5> hop_patterns{
    {{0, 1, 2}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}, {0, 0, 0}}};

// The tables of a universe of `Bits` bits. 5 bits give 63 prefixes and 1 + 63 + 1,953 + 39,711 tables.
template <unsigned Bits>
class tiny_universe {
  public:
    using address_type = address<Bits>;
    static constexpr std::size_t addresses = std::size_t{1} << Bits;

    tiny_universe() {
        for (unsigned base = 0; base < addresses; ++base)
            for (unsigned length = 0; length <= Bits; ++length)
                if (prefix<address_type>::is_canonical(address_type{base}, length))
                    prefixes_.push_back(prefix<address_type>::make(address_type{base}, length));
        const auto count = static_cast<std::uint8_t>(prefixes_.size());
        subsets_.push_back({{}, 0});
        for (std::uint8_t a = 0; a < count; ++a) {
            subsets_.push_back({{a}, 1});
            for (std::uint8_t b = a + 1; b < count; ++b) {
                subsets_.push_back({{a, b}, 2});
                for (std::uint8_t c = b + 1; c < count; ++c)
                    subsets_.push_back({{a, b, c}, 3});
            }
        }
    }

    const std::vector<prefix<address_type>>& prefixes() const { return prefixes_; }
    std::size_t size() const { return subsets_.size(); }
    // Number of patterns that give different tables for this number: 1, 1, 2 or 5.
    std::size_t patterns(std::size_t number) const {
        constexpr std::array<std::size_t, 4> distinct{1, 1, 2, hop_patterns.size()};
        return distinct[subsets_[number].count];
    }
    // In prefix order.
    table<address_type> at(std::size_t number, std::size_t pattern) const {
        table<address_type> out;
        const subset& chosen = subsets_[number];
        for (std::size_t i = 0; i < chosen.count; ++i)
            out.push_back({prefixes_[chosen.members[i]], {hop_patterns[pattern % patterns(number)][i]}});
        return out;
    }

  private:
    struct subset {
        std::array<std::uint8_t, 3> members;
        std::uint8_t count;
    };

    std::vector<prefix<address_type>> prefixes_;
    std::vector<subset> subsets_;
};

} // namespace fingerpost::testing
