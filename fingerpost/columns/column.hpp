// A column of addresses as it lies in memory: Arrow's layouts and plain arrays. The types own nothing and
// need no library of Arrow or Python.
//
// A column may come from outside. Whatever its offsets and views say, only the spans given here are read; a
// row that points elsewhere is a bad one. No array needs to be aligned for its type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "fingerpost/net/address.hpp"

namespace fingerpost::columns {

// Which rows have a value: one bit for each row, the least significant bit of a byte first. Row 0 is bit
// `offset`. Without `bits` every row has a value.
struct validity {
    const std::uint8_t* bits = nullptr;
    std::size_t offset = 0;
};

// What the bytes of a row are: the text of an address, or the 4 or 16 bytes of an address in network order.
// Each row tells its family by itself.
enum class content : std::uint8_t { text, binary };

// utf8 and binary (std::int32_t), large_utf8 and large_binary (std::int64_t): row i is the bytes from
// offsets[i] to offsets[i + 1]. There is one more offset than rows, or none if there are no rows.
template <class Offset>
struct offset_layout {
    std::span<const Offset> offsets;
    std::span<const char> data;
    content holds = content::text;
};

// One row of utf8_view or binary_view. Up to 12 bytes lie in `rest` itself. For longer rows `rest` holds the
// first four bytes, then the number of a buffer and the offset in it, both as std::int32_t.
struct view {
    static constexpr std::int32_t longest_inline = 12;

    std::int32_t size;
    char rest[12];
};
static_assert(sizeof(view) == 16);

struct view_layout {
    std::span<const view> views;
    std::span<const std::span<const char>> buffers;
    content holds = content::text;
};

// fixed_size_binary[4] and [16], arrays of (n, 4) and (n, 16) bytes: `rows` addresses in network order, one
// after the other.
template <class A>
struct packed_layout {
    const unsigned char* bytes = nullptr;
    std::size_t rows = 0;
};

// uint32: IPv4 addresses as numbers in host order.
struct number_layout {
    std::span<const std::uint32_t> numbers;
};

using layout = std::variant<offset_layout<std::int32_t>, offset_layout<std::int64_t>, view_layout,
                            packed_layout<ipv4_address>, packed_layout<ipv6_address>, number_layout>;

struct column {
    layout values;
    validity valid;
};

std::size_t row_count(const column& of) noexcept;

} // namespace fingerpost::columns
