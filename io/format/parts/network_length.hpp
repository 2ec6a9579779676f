// Networks whose length stands beside them, in a word or a column of its own:
//
//     192.0.2.0  24        192.0.2.0  /24        192.0.2.0  255.255.255.0        192.0.2.0  0.0.0.255
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/route_taker.hpp"

namespace fingerpost::io {

// Such a line is a list more often than a network and its values.
inline constexpr const char* several_networks =
    "several networks on one line; write one a line, or name the columns in a header";

// How a column gives the lengths of the networks in another one.
struct length_rule {
    bool is_wildcard = false; // 0.0.0.255 is a /24, and 0.0.0.0 a single address
    // The networks have lengths of their own, and this column is one of values that must not contradict them.
    bool is_value = false;

    friend bool operator==(const length_rule&, const length_rule&) noexcept = default;
};

// The length that a text gives to the address beside it: a number with or without a slash, a mask or a
// wildcard. Nothing if it is none of these.
std::optional<unsigned> length_beside(std::string_view address, std::string_view text, length_rule rule = {});

// Whether the second of two addresses is the mask of the first, and not the last address of a range.
bool is_mask_beside(std::string_view address, std::string_view text);

// `10.0.0.0/8` or `10.0.0.0/255.0.0.0`, right in all parts.
bool is_prefix_with_length(std::string_view text);

// `10.0.0.0/8`, `10.0.0.0/255.0.0.0`, `10.0.0.0-10.0.0.9`, and all that is no address; not `10.0.0.0`.
bool has_own_length(std::string_view network);

// Makes `network` the network of a row that has `beside` in its column of lengths, which may be written into
// `room`. Returns what is wrong with the two.
std::optional<route_fault> join_length(std::string_view& network, std::string_view beside, length_rule rule,
                                       std::string& room);

// The first column whose texts all look like the lengths of their prefixes, although each prefix is a single
// address; empty if there is none. Addresses with bits set past these lengths are hosts, and a text beside
// them is something else.
std::string unused_lengths(const both_tables& tables);

} // namespace fingerpost::io
