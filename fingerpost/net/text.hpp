// The text form of addresses, prefixes and routes: strict, fast, without locale and without allocation.
//
// Parsing accepts exactly what glibc's inet_pton accepts: four decimal octets without leading zeros, or
// groups of one to four hexadecimal digits with at most one `::` and optionally a dotted quad at the end. No
// zone, no blanks, no brackets. A prefix is `address/length`; a bare address is the prefix of that one
// address. Printing gives what inet_ntop gives: RFC 5952, with a dotted quad at the end of ::ffff:0:0/96 and
// of ::/96. literals.hpp has "10.0.0.0/8"_prefix, and std_format.hpp the formatters of std::format.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd> // std::string and std::ostream, declared only
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

// The types that have a text form.
template <class A>
concept written_address = one_of<A, ipv4_address, ipv6_address>;
template <class T>
concept written = one_of<T, ipv4_address, ipv6_address, any_address, ipv4_prefix, ipv6_prefix, any_prefix,
                         route<ipv4_address>, route<ipv6_address>, any_route>;

template <written_address A>
inline constexpr family family_of = std::same_as<A, ipv4_address> ? family::ipv4 : family::ipv6;

enum class text_fault : std::uint8_t {
    empty,                // there is no text
    ends_early,           // the text ends where more must follow
    unexpected_character, // a character that cannot stand there
    wrong_family,         // an address of the other family (or the start of one)
    no_family,            // an address of neither family
    octet_range,          // an octet above 255
    missing_octets,       // an IPv4 prefix with fewer than four octets, such as 10/8
    leading_zero,         // an octet or a length with a leading zero
    group_length,         // a group of more than four hexadecimal digits
    group_count,          // not 8 groups, or no group left for `::`
    second_gap,           // `::` twice
    length_range,         // a length above the width of the address
    host_bits,            // bits past the length are set, and the caller refuses such prefixes
};

// Where and why a text is refused.
struct text_error {
    text_fault reason = text_fault::empty;
    family wanted = family::ipv6; // that the text was parsed as
    char found = '\0';            // the unexpected character
    std::uint32_t offset = 0;     // of the fault, in bytes; may equal the size of the text
    std::uint32_t length = 0;     // that is out of range; of longer numbers 2^32 - 1
    // What was meant, for two reasons. host_bits: the prefix without them. missing_octets: the prefix with
    // zeros for them. Such a text is not accepted, as without a length some programs read 10.1 as 10.0.0.1,
    // others as 10.1.0.0.
    any_prefix meant{};

    // From 1.
    constexpr std::uint32_t column() const noexcept { return offset + 1; }

    friend constexpr bool operator==(const text_error&, const text_error&) noexcept = default;
};

// For people, without the text: "an octet is larger than 255 at column 8". Callers include <string>.
std::string message(const text_error& error);

// What to do with bits past the length of a prefix: clear them, or refuse the text.
enum class host_bits : std::uint8_t { mask, refuse };

// Of the family that the text begins like.
expected<any_address, text_error> parse_address(std::string_view text) noexcept;
expected<any_prefix, text_error> parse_prefix(std::string_view text,
                                              host_bits policy = host_bits::mask) noexcept;

// Of this family: parse_address<ipv4_address>("192.0.2.1").
template <written_address A>
expected<A, text_error> parse_address(std::string_view text) noexcept;
template <written_address A>
expected<prefix<A>, text_error> parse_prefix(std::string_view text,
                                             host_bits policy = host_bits::mask) noexcept;

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

// Of a route, its prefix and its next hop: "10.0.0.0/8 7", "10.0.0.0/8 none". Callers include <string> and
// <ostream>.
template <written T>
std::string to_string(const T& value);
template <written T>
std::ostream& operator<<(std::ostream& out, const T& value);

} // namespace fingerpost
