// A column of addresses in memory: Arrow's layouts and plain arrays. These types own nothing and need neither
// the Arrow nor the Python library.
//
// Columns may come from untrusted sources. Whatever the offsets and views contain, only the spans stored here
// are read. A row that points outside them is bad. Arrays need not be aligned for their type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "fingerpost/net/address.hpp"

namespace fingerpost::columns {

// Validity of rows: one bit for each row, least significant bit of a byte first. Row 0 is bit `offset`.
// Without `bits`, every row has a value.
struct validity {
    const std::uint8_t* bits = nullptr;
    std::size_t offset = 0;
};

// Contents of a row: an address as text, or 4 or 16 bytes in network order. Rows may differ in family.
enum class content : std::uint8_t { text, binary };

// utf8 and binary (std::int32_t), large_utf8 and large_binary (std::int64_t): row i is the bytes from
// offsets[i] to offsets[i + 1]. There is one more offset than rows, or none if there are no rows.
template <class Offset>
struct offset_layout {
    std::span<const Offset> offsets;
    std::span<const char> data;
    content holds = content::text;
};

// One row of utf8_view or binary_view. Up to 12 bytes are stored in `rest`. For longer rows, `rest` contains
// the first four bytes, then a buffer number and the offset in that buffer, both as std::int32_t.
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

// fixed_size_binary[4] and [16], and arrays of (n, 4) and (n, 16) bytes: `rows` consecutive addresses in
// network order.
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
