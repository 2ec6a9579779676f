// Address and prefix literals, parsed at compile time:
//
//     using namespace fingerpost::literals;
//     constexpr auto site = "2001:db8::/32"_prefix; // an ipv6_prefix
//     constexpr auto host = "192.0.2.1"_address;    // an ipv4_address
//
// A literal that parse_address() or parse_prefix() refuses, or a prefix with host bits, does not compile. The
// compiler error shows the fault and its column.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "fingerpost/net/text.hpp"
#include "fingerpost/net/text_scan.hpp"

namespace fingerpost {
namespace text_scan {

template <std::size_t Size>
struct literal {
    char bytes[Size]{};

    consteval literal(const char (&text)[Size]) {
        for (std::size_t i = 0; i < Size; ++i)
            bytes[i] = text[i];
    }
    // The text without its terminating zero.
    constexpr std::string_view text() const { return {bytes, Size - 1}; }
    constexpr cursor start() const { return {bytes, bytes + Size - 1}; }
};

template <class T>
struct scanned {
    T value{};
    text_fault fault = no_fault;
    std::size_t column = 0;
};

template <text_fault Fault, std::size_t Column>
inline constexpr bool is_accepted = Fault == no_fault;

// The address type of the family that the text starts like.
template <literal Text>
using address_of = std::conditional_t<detect_family(Text.text()) == family::ipv4, ipv4_address, ipv6_address>;

template <class T, literal Text, class... Policy>
consteval scanned<T> scan_literal(Policy... policy) {
    cursor c = Text.start();
    T value;
    const text_fault fault = scan_whole(c, value, policy...);
    return {value, fault, static_cast<std::size_t>(c.at - Text.start().at) + 1};
}

} // namespace text_scan

inline namespace literals {

template <text_scan::literal Text>
consteval auto operator""_address() {
    constexpr auto read = text_scan::scan_literal<text_scan::address_of<Text>, Text>();
    static_assert(text_scan::is_accepted<read.fault, read.column>, "the text is not an address");
    return read.value;
}

template <text_scan::literal Text>
consteval auto operator""_prefix() {
    constexpr auto read =
        text_scan::scan_literal<prefix<text_scan::address_of<Text>>, Text>(host_bits::refuse);
    static_assert(text_scan::is_accepted<read.fault, read.column>, "the text is not a prefix");
    return read.value;
}

} // namespace literals
} // namespace fingerpost
