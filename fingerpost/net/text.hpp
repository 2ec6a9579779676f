// The text form of an address and of a prefix: strict, fast, without locale and without allocation.
//
// Parsing accepts exactly what glibc's inet_pton accepts: four decimal octets without leading zeros, or
// groups of one to four hexadecimal digits with at most one `::` and optionally a dotted quad at the end. No
// zone, no blanks, no brackets. A prefix is `address/length`; a bare address is the prefix of that one
// address. Printing gives what inet_ntop gives: RFC 5952, with a dotted quad at the end of ::ffff:0:0/96 and
// of ::/96.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd> // std::string, declared only
#include <optional>
#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/mapped.hpp"
#include "fingerpost/net/prefix.hpp"

namespace fingerpost {

enum class family : std::uint8_t { ipv4 = 4, ipv6 = 6 };

constexpr std::string_view name_of(family f) noexcept {
    return f == family::ipv4 ? "IPv4" : "IPv6";
}

// The address types that have a text form.
template <class A>
concept written_address = std::same_as<A, ipv4_address> || std::same_as<A, ipv6_address>;

template <written_address A>
inline constexpr family family_of = std::same_as<A, ipv4_address> ? family::ipv4 : family::ipv6;

enum class text_fault : std::uint8_t {
    empty,                // there is no text
    ends_early,           // the text ends where more must follow
    unexpected_character, // a character that cannot stand there
    wrong_family,         // an address of the other family (or the start of one)
    octet_range,          // an octet above 255
    leading_zero,         // an octet or a length with a leading zero
    group_length,         // a group of more than four hexadecimal digits
    group_count,          // not 8 groups, or no group left for `::`
    second_gap,           // `::` twice
    length_range,         // a length above the width of the address
    host_bits,            // bits past the length are set, and the caller refuses such prefixes
};

// Where and why a text is refused. `offset` is a byte offset in the text and may equal its size.
struct text_error {
    text_fault reason = text_fault::empty;
    family wanted = family::ipv6;
    std::uint32_t offset = 0;

    friend constexpr bool operator==(text_error, text_error) noexcept = default;
};

// The reason in words, for people; `text` is the parsed text.
std::string describe(text_error error, std::string_view text);

// What to do with bits past the length of a prefix: clear them, or refuse the text.
enum class host_bits : std::uint8_t { mask, refuse };

template <written_address A>
expected<A, text_error> parse_address(std::string_view text) noexcept;
template <written_address A>
expected<prefix<A>, text_error> parse_prefix(std::string_view text,
                                             host_bits policy = host_bits::mask) noexcept;

template <>
expected<ipv4_address, text_error> parse_address<ipv4_address>(std::string_view text) noexcept;
template <>
expected<ipv6_address, text_error> parse_address<ipv6_address>(std::string_view text) noexcept;
template <>
expected<ipv4_prefix, text_error> parse_prefix<ipv4_address>(std::string_view text,
                                                             host_bits policy) noexcept;
template <>
expected<ipv6_prefix, text_error> parse_prefix<ipv6_address>(std::string_view text,
                                                             host_bits policy) noexcept;

// The family whose addresses and prefixes start like this text; none if neither does. Reads at most five
// bytes: both families have a separator by then.
constexpr std::optional<family> detect_family(std::string_view text) noexcept {
    for (const char c : text.substr(0, 5)) {
        if (c == ':')
            return family::ipv6;
        if (c == '.')
            return family::ipv4;
    }
    return std::nullopt;
}

// The most bytes that format() writes. It writes no terminating zero.
template <written_address A>
inline constexpr std::size_t max_address_text = A::bits == 32 ? 15 : 39;
template <written_address A>
inline constexpr std::size_t max_prefix_text = max_address_text<A> + 4;

// Writes the text form to `out` and returns its end. Touches at most max_..._text<A> bytes, possibly some
// behind the returned end.
char* format(ipv4_address a, char* out) noexcept;
char* format(ipv6_address a, char* out) noexcept;
char* format(ipv4_prefix p, char* out) noexcept;
char* format(ipv6_prefix p, char* out) noexcept;

// Callers include <string>.
std::string to_string(ipv4_address a);
std::string to_string(ipv6_address a);
std::string to_string(ipv4_prefix p);
std::string to_string(ipv6_prefix p);

} // namespace fingerpost
