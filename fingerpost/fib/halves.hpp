// Addresses given by halves: an array of their first 64 bits, and one of the bits after these, each half a
// number in host order. Where every route ends at /64 or before, the first halves are enough, and a batch
// reads half of the bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/net/address.hpp"
#include "fingerpost/net/next_hop.hpp"

namespace fingerpost {

// The bits that a first half has.
inline constexpr unsigned first_half = 64;

// Schemes that look halves up as they are. `first[i]` is top64() of an address and `low[i]` its bottom64().
// `low` is as long as `first`, or empty, which says that every low half is 0: then the answers are those of
// all addresses with these first halves if no route is longer than /64. `out` as for other batches.
template <class S, class A>
concept takes_halves =
    A::bits > first_half&& requires(const S s, std::span<const std::uint64_t> first,
                                    std::span<const std::uint64_t> low, std::span<next_hop> out) {
        { s.lookup_halves(first, low, out) } noexcept;
    };

// The low half of address i of a lookup by halves; 0 where only first halves are given.
constexpr std::uint64_t low_at(std::span<const std::uint64_t> low, std::size_t i) noexcept {
    return low.empty() ? 0 : low[i];
}
// The halves of some of the addresses; of none none.
constexpr std::span<const std::uint64_t> part_of(std::span<const std::uint64_t> half, std::size_t first,
                                                 std::size_t count) noexcept {
    return half.empty() ? half : half.subspan(first, count);
}

// The same by a scheme's usual batches, a block of whole addresses on the stack at a time.
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
