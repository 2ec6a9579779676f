// Some rows of a column after reading: the state of each row, and the addresses of each family in an array,
// so that a FIB looks them up in one batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/net/address.hpp"

namespace fingerpost::columns {

enum class row_state : std::uint8_t {
    ipv4, // takes the next address of block::ipv4
    ipv6, // takes the next address of block::ipv6
    null, // without a value
    bad,  // with a value that is no address
};

// The most rows of a block. A block and its answers then stay in the first level of the cache.
inline constexpr std::size_t block_rows = 1024;

// Addresses of one family in the order of their rows. rows[i] is the row of addresses[i], relative to the
// block.
template <class A>
struct address_list {
    std::size_t count = 0;
    alignas(64) std::array<A, block_rows> addresses;
    alignas(64) std::array<std::uint16_t, block_rows> rows;

    std::span<const A> all() const noexcept { return {addresses.data(), count}; }
    std::span<const std::uint16_t> all_rows() const noexcept { return {rows.data(), count}; }
};

// Filled by block_reader::read(), which does not touch items beyond the counts. If ipv6.count == rows, or
// ipv4.count == rows, address i is that of row i.
struct block {
    std::size_t first = 0; // the column's row that is row 0 here
    std::size_t rows = 0;
    std::size_t nulls = 0;
    std::size_t bad = 0;
    alignas(64) std::array<row_state, block_rows> states;
    address_list<ipv4_address> ipv4;
    address_list<ipv6_address> ipv6;

    std::span<const row_state> all_states() const noexcept { return {states.data(), rows}; }
};

} // namespace fingerpost::columns
