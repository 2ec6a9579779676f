// The few path attributes that routes need; others are skipped.
#pragma once

#include <cstdint>

#include "io/format/mrt/entry.hpp"

namespace fingerpost::io::mrt {

// A list of prefixes in an attribute. There is no list if `is_there` is false.
struct family_prefixes {
    std::uint16_t afi = 0;
    std::uint8_t safi = 0;
    bool is_there = false;
    bytes prefixes;
};

struct route_attributes {
    origin_as origin;
    std::uint32_t path_length = 0;
    any_next_hop next_hop; // from the attribute NEXT_HOP
    any_next_hop mp_next_hop;
    family_prefixes reach;
    family_prefixes unreach;
};

// Origin of the attributes. In messages, MP_REACH_NLRI has the form of RFC 4760. In tables it has only the
// next hop (RFC 6396, 4.3.4), but some routers write all of it; the first byte shows which form it has.
enum class attribute_place : std::uint8_t { message, table };

// `as_width` is the size of the numbers in AS_PATH, 2 or 4. With 2, AS4_PATH is merged into it. A damaged
// AS4_PATH, or one with `as_width` 4, is ignored. All of this follows RFC 6793. If an attribute occurs twice,
// the first one is used. `out` must be empty.
fault skim_attributes(bytes attributes, unsigned as_width, attribute_place place, route_attributes& out);

} // namespace fingerpost::io::mrt
