// Addresses as people and programs write them into fields and log lines.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::cli::enrich {

// An IPv4-mapped address is an IPv4 one.
struct any_address {
    family kind = family::ipv4;
    ipv4_address four{};
    ipv6_address six{};

    friend bool operator==(const any_address&, const any_address&) = default;
};

// An address, nothing else but blanks around it; or one as a socket has it: with a port (`10.0.0.1:80`,
// `[2001:db8::1]:443`), in brackets, with a zone (`fe80::1%eth0`).
expected<any_address, text_error> parse_field(std::string_view text);

struct found_address {
    any_address what;
    std::size_t offset;
    std::size_t size; // of the address alone, without brackets, port and zone
};

// The next address in a text, from an offset on at which no word goes on. It stands by itself: not within a
// word, a name, a version of more or fewer parts, or a time. `::` alone counts in brackets only.
std::optional<found_address> find_address(std::string_view text, std::size_t from);

} // namespace fingerpost::cli::enrich
