// Parses texts with the scanners of text_scan.hpp, and explains why a text is refused.
#include "fingerpost/net/text.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "fingerpost/net/text_scan.hpp"

namespace fingerpost {
namespace {

using namespace text_scan;

cursor start_of(std::string_view text) {
    return {text.data(), text.data() + text.size()};
}

// Returns the prefix for a text that omits octets, such as `10/8` or `172.16/12`, or nothing for other texts.
std::optional<ipv4_prefix> with_all_octets(std::string_view text) {
    cursor c = start_of(text);
    std::uint32_t address = 0;
    unsigned count = 0;
    for (;; ++c.at) {
        std::uint32_t octet = 0;
        if (count == 3 || scan_octet(c, octet) != no_fault)
            return std::nullopt;
        address |= octet << (24 - 8 * count++);
        if (!c.sees('.'))
            break;
    }
    unsigned length = 0;
    if (!c.sees('/'))
        return std::nullopt;
    ++c.at;
    if (scan_length(c, 32, length) != no_fault)
        return std::nullopt;
    return ipv4_prefix::make({address}, length);
}

// Returns the number at the start of the text, saturated to 32 bits.
std::uint32_t number_in(std::string_view text) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < text.size() && digit_value(text[i]) < 10; ++i)
        number = std::min(number * 10 + digit_value(text[i]), most);
    return static_cast<std::uint32_t>(number);
}

template <class A>
unexpected<text_error> refused(std::string_view text, text_fault reason, const char* at) {
    const auto offset = static_cast<std::size_t>(at - text.data());
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max() - 1;
    // Constructed in place, because copying an error takes as long as scanning a short text.
    unexpected<text_error> refusal{{.reason = reason,
                                    .parsed_family = family_of<A>,
                                    .offset = static_cast<std::uint32_t>(std::min(offset, most))}};
    text_error& error = refusal.error;
    const auto detected = detect_family(text);
    if (text.empty()) {
        error.reason = text_fault::empty;
    } else if (const auto completed = detected == family::ipv6 ? std::nullopt : with_all_octets(text)) {
        error.reason = text_fault::missing_octets;
        error.suggestion = *completed;
    } else if (detected && *detected != family_of<A>) {
        error.reason = text_fault::wrong_family;
        error.offset = 0;
    } else if (reason == text_fault::unexpected_character) {
        error.character = *at;
    } else if (reason == text_fault::length_range) {
        error.length = number_in(text.substr(offset));
    } else if (reason == text_fault::host_bits) {
        error.suggestion = *parse_prefix<A>(text);
    }
    return refusal;
}

// Returns parse(A{}) for the family that the text starts like.
template <class Any, class Parse>
expected<Any, text_error> parse_any(std::string_view text, Parse parse) {
    const auto parse_as = [&]<class A>(A of) -> expected<Any, text_error> {
        const auto value = parse(of);
        if (!value)
            return unexpected{value.error()};
        return Any(*value);
    };
    const auto detected = detect_family(text);
    if (detected == family::ipv4)
        return parse_as(ipv4_address{});
    const auto value = parse_as(ipv6_address{});
    // A plain number may be the start of an IPv4 address: no error should explain why it is not IPv6.
    constexpr auto is_of_both = [](text_fault reason) {
        return reason == text_fault::empty || reason == text_fault::unexpected_character ||
               reason == text_fault::missing_octets;
    };
    if (value || detected || is_of_both(value.error().reason))
        return value;
    return unexpected{text_error{.reason = text_fault::no_family}};
}

// Returns a character in printable form, without control characters.
std::string shown(char c) {
    constexpr char digits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f)
        return std::string("'") + c + "'";
    if (byte == ' ')
        return "blank";
    return std::string("byte 0x") + digits[byte >> 4] + digits[byte & 15];
}

std::string length_message(const text_error& error) {
    const bool is_whole = error.length != std::numeric_limits<std::uint32_t>::max();
    return "prefix length " + (is_whole ? std::to_string(error.length) + " is" : "is") + " longer than " +
           (error.parsed_family == family::ipv4 ? "32" : "128");
}

} // namespace

template <written_address A>
expected<A, text_error> parse_address(std::string_view text) noexcept {
    cursor c = start_of(text);
    A a;
    if (const text_fault fault = scan_whole(c, a); fault != no_fault)
        return refused<A>(text, fault, c.at);
    return a;
}

template <written_address A>
expected<prefix<A>, text_error> parse_prefix(std::string_view text, host_bits policy) noexcept {
    cursor c = start_of(text);
    prefix<A> p;
    if (const text_fault fault = scan_whole(c, p, policy); fault != no_fault)
        return refused<A>(text, fault, c.at);
    return p;
}

template expected<ipv4_address, text_error> parse_address(std::string_view) noexcept;
template expected<ipv6_address, text_error> parse_address(std::string_view) noexcept;
template expected<ipv4_prefix, text_error> parse_prefix(std::string_view, host_bits) noexcept;
template expected<ipv6_prefix, text_error> parse_prefix(std::string_view, host_bits) noexcept;

expected<any_address, text_error> parse_address(std::string_view text) noexcept {
    return parse_any<any_address>(text, [text]<class A>(A) { return parse_address<A>(text); });
}

expected<any_prefix, text_error> parse_prefix(std::string_view text, host_bits policy) noexcept {
    return parse_any<any_prefix>(text, [=]<class A>(A) { return parse_prefix<A>(text, policy); });
}

std::string message(const text_error& error) {
    const std::string column = "column " + std::to_string(error.column());
    switch (error.reason) {
    case text_fault::empty:
        return "there is no address";
    case text_fault::ends_early:
        return "the text ends too early";
    case text_fault::unexpected_character:
        return "unexpected " + shown(error.character) + " at " + column;
    case text_fault::wrong_family:
        return error.parsed_family == family::ipv4 ? "not an IPv4 address" : "not an IPv6 address";
    case text_fault::no_family:
        return "neither an IPv4 nor an IPv6 address";
    case text_fault::octet_range:
        return "an octet is larger than 255 at " + column;
    case text_fault::missing_octets:
        return "an IPv4 prefix has four octets; write " + to_string(error.suggestion);
    case text_fault::leading_zero:
        return "a number has a leading zero at " + column;
    case text_fault::group_length:
        return "a group has more than four hexadecimal digits at " + column;
    case text_fault::group_count:
        return "not eight groups, or a superfluous '::'";
    case text_fault::second_gap:
        return "'::' twice, again at " + column;
    case text_fault::length_range:
        return length_message(error);
    case text_fault::host_bits:
        return "bits past the prefix length are set (the prefix is " + to_string(error.suggestion) + ")";
    }
    return "not an address";
}

} // namespace fingerpost
