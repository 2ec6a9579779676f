// Networks whose length is in a word or column next to the address:
//
//     192.0.2.0  24        192.0.2.0  /24        192.0.2.0  255.255.255.0        192.0.2.0  0.0.0.255
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/route_taker.hpp"

namespace fingerpost::io {

// Such a line is more often a list than a network and its values.
inline constexpr const char* several_networks =
    "several networks on one line; write one per line, or name the columns in a header";

// How a column gives the lengths of the networks in another column.
struct length_rule {
    bool is_wildcard = false; // 0.0.0.255 is a /24, and 0.0.0.0 a single address
    // The networks have their own lengths; this column is a value column that must not contradict them.
    bool is_value = false;

    friend bool operator==(const length_rule&, const length_rule&) noexcept = default;
};

// Returns the length that a text gives to the address next to it. The text is a number with or without a
// slash, a mask or a wildcard; otherwise there is no result.
std::optional<unsigned> length_beside(std::string_view address, std::string_view text, length_rule rule = {});

// Whether the second address is a mask of the first, and not the last address of a range.
bool is_mask_beside(std::string_view address, std::string_view text);

// Whether the text is `10.0.0.0/8` or `10.0.0.0/255.0.0.0`, and valid.
bool is_prefix_with_length(std::string_view text);

// True for `10.0.0.0/8`, `10.0.0.0/255.0.0.0`, `10.0.0.0-10.0.0.9` and everything that is not an address;
// false for `10.0.0.0`.
bool has_own_length(std::string_view network);

// Replaces `network` by the network of a row whose length column is `beside`. The text may be stored in
// `buffer`. Returns the fault if the two do not fit.
std::optional<route_fault> join_length(std::string_view& network, std::string_view beside, length_rule rule,
                                       std::string& buffer);

// Returns the name of the first column whose texts all look like lengths of their prefixes although each
// prefix is a single address; empty if there is none. The lengths must not clear set bits of an address.
std::string unused_lengths(const both_tables& tables);

} // namespace fingerpost::io
