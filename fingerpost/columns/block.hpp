// A block of rows read from a column: the state of each row, and an array of addresses for each family, so
// that a FIB can look them up in one batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/net/address.hpp"

namespace fingerpost::columns {

enum class row_state : std::uint8_t {
    ipv4, // uses the next address of block::ipv4
    ipv6, // uses the next address of block::ipv6
    null, // no value
    bad,  // the value is not an address
};
template <class A>
inline constexpr row_state state_of = A::bits == ipv4_address::bits ? row_state::ipv4 : row_state::ipv6;

// Maximum number of rows of a block. With this number, a block and its results fit in the first-level cache.
inline constexpr std::size_t block_rows = 1024;

// Addresses of one family in row order. rows[i] is the row of addresses[i], relative to the block.
template <class A>
struct address_list {
    std::size_t count = 0;
    alignas(64) std::array<A, block_rows> addresses;
    alignas(64) std::array<std::uint16_t, block_rows> rows;

    std::span<const A> span() const noexcept { return {addresses.data(), count}; }
    std::span<const std::uint16_t> all_rows() const noexcept { return {rows.data(), count}; }
};

// Filled by block_reader::read(), which leaves items beyond the counts unchanged. If ipv6.count == rows or
// ipv4.count == rows, address i belongs to row i.
struct block {
    std::size_t first = 0; // column row of the block's row 0
    std::size_t rows = 0;
    std::size_t nulls = 0;
    std::size_t bad = 0;
    alignas(64) std::array<row_state, block_rows> states;
    address_list<ipv4_address> ipv4;
    address_list<ipv6_address> ipv6;

    std::span<const row_state> all_states() const noexcept { return {states.data(), rows}; }
};

} // namespace fingerpost::columns
