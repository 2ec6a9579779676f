// Numbers that hash to one slot, as an attacker who has the key of a hash table could choose them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/net/address.hpp"

namespace fingerpost::testing {

// Returns `count` distinct numbers whose home under this key is 0 among `places`. Candidates are made(0),
// made(1), ...
template <class Make>
auto colliding(const hash_key& key, std::size_t places, std::size_t count, Make made) {
    std::vector<decltype(made(std::uint64_t{}))> found;
    for (std::uint64_t i = 0; found.size() < count; ++i)
        if (const auto number = made(i); hash_key::bucket(key.hash(number), places) == 0)
            found.push_back(number);
    return found;
}

inline constexpr std::uint64_t known_seed = 7;

// Cells of `bits` bits that share a home under this key, in a table of 2^13 slots.
inline std::vector<ipv6_address> cells_for(const hash_key& key, unsigned bits, std::size_t count) {
    std::vector<ipv6_address> cells;
    for (const u128 number : colliding(key, 1 << 13, count, [&](std::uint64_t i) {
             return static_cast<u128>(0x2000'0000'0000 + i) << (128 - bits);
         }))
        cells.push_back({number});
    return cells;
}

// The cell hash of image version 2 and of older libraries: bits 32 and up of the product with an odd number,
// masked to the number of slots.
inline constexpr std::uint64_t old_cell_odd = 0x9e3779b97f4a7c15u;
inline constexpr std::size_t old_cell_home(std::uint64_t first_bits, std::size_t slots) noexcept {
    return static_cast<std::size_t>(first_bits * old_cell_odd >> 32) & (slots - 1);
}
// The inverse of an odd number modulo 2^64. Each step of Newton's method doubles the number of right bits.
inline constexpr std::uint64_t inverse(std::uint64_t odd) noexcept {
    std::uint64_t x = odd;
    for (unsigned step = 0; step < 5; ++step)
        x *= 2 - odd * x;
    return x;
}
// The first 64 bits of 48-bit cell `i`. The old hash put all of these cells into one slot in tables of up to
// 2^17 slots: their products with the odd number have zeros in bits 32 to 48. The lower 16 bits of the cell
// are zero because those of the product are.
inline constexpr std::uint64_t old_colliding_cell(std::uint64_t i) noexcept {
    return (i << 49) * inverse(old_cell_odd) + ((i >> 15) << 16) * inverse(old_cell_odd);
}

} // namespace fingerpost::testing
