// Addresses as people and programs write them in fields: also with a port, brackets or a zone.
#pragma once

#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/socket_text.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::cli {

// An IPv4-mapped address counts as IPv4. Its `six` is the original address.
struct any_address {
    family kind = family::ipv4;
    ipv4_address four{};
    ipv6_address six{};

    bool is_mapped() const noexcept { return kind == family::ipv4 && is_ipv4_mapped(six); }

    static any_address of(ipv4_address a);
    static any_address of(ipv6_address a);
    friend bool operator==(const any_address&, const any_address&) = default;
};

// Parses an address with optional blanks around it. A port (`10.0.0.1:80`, `[2001:db8::1]:443`), brackets or
// a zone (`fe80::1%eth0`) are allowed as in a socket address.
expected<any_address, text_error> parse_field(std::string_view text);

// Removes blanks around the address of a line, and a comment. A comment starts with a `#` at the start of a
// word and ends with the line.
std::string_view without_comment(std::string_view line);

} // namespace fingerpost::cli
