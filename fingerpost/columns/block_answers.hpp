// The results of a lookup for a block of rows. A block fits into the first levels of the cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/columns/block.hpp"
#include "fingerpost/net/next_hop.hpp"

namespace fingerpost::columns {

// One bit per row of a block, the lowest of a byte first.
using row_bits = std::array<std::uint8_t, block_rows / 8>;

struct block_answers {
    std::size_t first = 0; // the column's row that is row 0 here; a multiple of block_rows
    std::size_t rows = 0;
    std::size_t nulls = 0;
    std::size_t bad = 0;
    std::size_t matched = 0;
    // Results of the address_reader, next hops or numbers of routes; none for null rows, bad rows and rows
    // without a route.
    alignas(64) std::array<next_hop, block_rows> ids;
    // Next hops of the routes in `ids`, if they are known.
    alignas(64) std::array<next_hop, block_rows> route_hops;
    // States of the rows if they differ. Otherwise all are `uniform`.
    bool has_states = false;
    row_state uniform = row_state::ipv6;
    alignas(64) std::array<row_state, block_rows> states;
    // Rows with a result.
    alignas(64) row_bits matched_bits;

    row_state state_of(std::size_t row) const noexcept { return has_states ? states[row] : uniform; }
    bool has_address(std::size_t row) const noexcept { return state_of(row) < row_state::null; }
    bool is_ipv4(std::size_t row) const noexcept { return state_of(row) == row_state::ipv4; }
};

// Sets the bit of each row with a result, and counts these rows.
inline void mark_matched(block_answers& block) noexcept {
    // Rows past the end of the block have no result.
    std::fill(block.ids.begin() + static_cast<std::ptrdiff_t>(block.rows),
              block.ids.begin() + static_cast<std::ptrdiff_t>((block.rows + 7) / 8 * 8), next_hop::none);
    block.matched = 0;
    for (std::size_t row = 0; row < block.rows; row += 8) {
        unsigned byte = 0;
        for (std::size_t i = 0; i < 8; ++i)
            byte |= unsigned{block.ids[row + i] != next_hop::none} << i;
        block.matched_bits[row / 8] = static_cast<std::uint8_t>(byte);
        block.matched += static_cast<std::size_t>(__builtin_popcount(byte));
    }
}

} // namespace fingerpost::columns
