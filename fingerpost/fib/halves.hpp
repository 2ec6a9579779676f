// Addresses as halves: an array of their first 64 bits and an array of the remaining bits, all as numbers in
// host order. If no route is longer than /64, the first halves suffice, and a batch reads half the bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/net/address.hpp"
#include "fingerpost/net/next_hop.hpp"

namespace fingerpost {

// Number of bits in a first half.
inline constexpr unsigned first_half = 64;

// Schemes that look up halves directly. `first[i]` is top64() of an address and `low[i]` its bottom64().
// `low` is as long as `first`, or empty, which means that every low half is 0. If no route is longer than
// /64, the results then apply to all addresses with these first halves. `out` is as in other batches.
template <class S, class A>
concept takes_halves =
    A::bits > first_half&& requires(const S s, std::span<const std::uint64_t> first,
                                    std::span<const std::uint64_t> low, std::span<next_hop> out) {
        { s.lookup_halves(first, low, out) } noexcept;
    };

// Low half of address i, or 0 if only first halves are passed.
constexpr std::uint64_t low_at(std::span<const std::uint64_t> low, std::size_t i) noexcept {
    return low.empty() ? 0 : low[i];
}
// A part of these halves, or nothing if there are none.
constexpr std::span<const std::uint64_t> part_of(std::span<const std::uint64_t> half, std::size_t first,
                                                 std::size_t count) noexcept {
    return half.empty() ? half : half.subspan(first, count);
}

// Looks up halves with the scheme's usual batches, by joining blocks of addresses on the stack.
template <class A, class S>
void lookup_joined(const S& s, std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                   std::span<next_hop> out) noexcept {
    std::array<A, 64> whole;
    for (std::size_t done = 0; done < first.size(); done += whole.size()) {
        const std::size_t left = first.size() - done;
        const std::size_t count = left < whole.size() ? left : whole.size();
        for (std::size_t i = 0; i < count; ++i)
            whole[i] = from_halves<A>(first[done + i], low_at(low, done + i));
        s.lookup(std::span<const A>(whole).first(count), out.subspan(done, count));
    }
}

} // namespace fingerpost
