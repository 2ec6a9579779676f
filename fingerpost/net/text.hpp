// Text form of addresses, prefixes and routes: strict and fast, without locales or allocation.
//
// Parsing accepts exactly the same addresses as glibc's inet_pton(): four decimal octets without leading
// zeros, or groups of one to four hexadecimal digits with at most one `::` and optionally a dotted quad at
// the end. Zones, blanks and brackets are not accepted. A prefix is `address/length`. An address without a
// length is the prefix of that one address. Printing matches inet_ntop(): RFC 5952, with a dotted quad at the
// end in ::ffff:0:0/96 and ::/96. literals.hpp has "10.0.0.0/8"_prefix, and std_format.hpp has formatters for
// std::format.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd> // declares std::string and std::ostream
#include <optional>
#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/any.hpp"
#include "fingerpost/net/mapped.hpp"

namespace fingerpost {

enum class family : std::uint8_t { ipv4 = 4, ipv6 = 6 };

constexpr std::string_view name_of(family f) noexcept {
    return f == family::ipv4 ? "IPv4" : "IPv6";
}

template <class T, class... Types>
concept one_of = (std::same_as<T, Types> || ...);

// Types with a text form.
template <class A>
concept written_address = one_of<A, ipv4_address, ipv6_address>;
template <class T>
concept written = one_of<T, ipv4_address, ipv6_address, any_address, ipv4_prefix, ipv6_prefix, any_prefix,
                         route<ipv4_address>, route<ipv6_address>, any_route>;

template <written_address A>
inline constexpr family family_of = std::same_as<A, ipv4_address> ? family::ipv4 : family::ipv6;

enum class text_fault : std::uint8_t {
    empty,                // the text is empty
    ends_early,           // the text ends where more is expected
    unexpected_character, // a character that is not allowed here
    wrong_family,         // an address of the other family, or the start of one
    no_family,            // not an address of either family
    octet_range,          // an octet above 255
    missing_octets,       // an IPv4 prefix with fewer than four octets, such as 10/8
    leading_zero,         // an octet or a length with a leading zero
    group_length,         // a group of more than four hexadecimal digits
    group_count,          // not 8 groups, or no group left for `::`
    second_gap,           // `::` twice
    length_range,         // a length above the width of the address
    host_bits,            // bits past the length are set, and the caller refuses such prefixes
};

// Position of and reason for a parse failure.
struct text_error {
    text_fault reason = text_fault::empty;
    family parsed_family = family::ipv6; // family that the text was parsed as
    char character = '\0';               // the unexpected character
    std::uint32_t offset = 0;            // position of the fault in bytes; may equal the size of the text
    std::uint32_t length = 0;            // number that is out of range, saturated to 2^32 - 1
    // Prefix that was probably meant. For host_bits, it is the prefix with these bits cleared; for
    // missing_octets, the prefix with zero octets added. Such texts are refused, because without a length
    // some programs read 10.1 as 10.0.0.1 and others as 10.1.0.0.
    any_prefix suggestion{};

    // Column from 1.
    constexpr std::uint32_t column() const noexcept { return offset + 1; }

    friend constexpr bool operator==(const text_error&, const text_error&) noexcept = default;
};

// Returns a message without the text: "an octet is larger than 255 at column 8". Callers include <string>.
std::string message(const text_error& error);

// Handling of prefixes with bits set past the length: clear these bits, or refuse the text.
enum class host_bits : std::uint8_t { mask, refuse };

// Parse an address or prefix of the family that the text starts like.
expected<any_address, text_error> parse_address(std::string_view text) noexcept;
expected<any_prefix, text_error> parse_prefix(std::string_view text,
                                              host_bits policy = host_bits::mask) noexcept;

// Parse an address or prefix of this family: parse_address<ipv4_address>("192.0.2.1").
template <written_address A>
expected<A, text_error> parse_address(std::string_view text) noexcept;
template <written_address A>
expected<prefix<A>, text_error> parse_prefix(std::string_view text,
                                             host_bits policy = host_bits::mask) noexcept;

// Returns the family of addresses and prefixes that start like this text, or nothing if neither does. Reads
// at most five bytes, because both families have a separator by then.
constexpr std::optional<family> detect_family(std::string_view text) noexcept {
    for (const char c : text.substr(0, 5)) {
        if (c == ':')
            return family::ipv6;
        if (c == '.')
            return family::ipv4;
    }
    return std::nullopt;
}

// Maximum number of bytes that format() writes. It writes no terminating zero.
template <written_address A>
inline constexpr std::size_t max_address_text = A::bits == 32 ? 15 : 39;
template <written_address A>
inline constexpr std::size_t max_prefix_text = max_address_text<A> + 4;

// Writes the text form to `out` and returns its end. May write to any of the max_..._text<A> bytes, even past
// the returned end.
char* format(ipv4_address a, char* out) noexcept;
char* format(ipv6_address a, char* out) noexcept;
char* format(ipv4_prefix p, char* out) noexcept;
char* format(ipv6_prefix p, char* out) noexcept;

// Returns the text form. A route is its prefix and its next hop: "10.0.0.0/8 7", "10.0.0.0/8 none". Callers
// include <string> and <ostream>.
template <written T>
std::string to_string(const T& value);
template <written T>
std::ostream& operator<<(std::ostream& out, const T& value);

} // namespace fingerpost
