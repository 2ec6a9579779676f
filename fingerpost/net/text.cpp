// The scanners behind text.hpp, written by hand: one pass, byte by byte.
#include "fingerpost/net/text.hpp"

#include <array>
#include <limits>
#include <string>

namespace fingerpost {
namespace {

using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

constexpr uint8_t not_hex = 0xff;

constexpr std::array<uint8_t, 256> make_hex_values() {
    std::array<uint8_t, 256> values{};
    values.fill(not_hex);
    for (unsigned i = 0; i < 10; ++i)
        values['0' + i] = static_cast<uint8_t>(i);
    for (unsigned i = 0; i < 6; ++i)
        values['a' + i] = values['A' + i] = static_cast<uint8_t>(10 + i);
    return values;
}
constexpr std::array<uint8_t, 256> hex_values = make_hex_values();

unsigned hex_value(char c) {
    return hex_values[static_cast<unsigned char>(c)];
}
// A digit's value; 10 or more for any other character.
unsigned digit_value(char c) {
    return static_cast<unsigned char>(c) - unsigned{'0'};
}

constexpr text_fault no_fault{0xff};

// A position in the text. A scanner moves `at` past the part that it has accepted and stops at the first byte
// that does not fit. After a failure, `at` is the place of the fault.
struct cursor {
    const char* at;
    const char* end;

    bool done() const { return at == end; }
    bool sees(char c) const { return at != end && *at == c; }
    bool sees_digit() const { return at != end && digit_value(*at) < 10; }
    bool sees_hex() const { return at != end && hex_value(*at) != not_hex; }
    text_fault unexpected_here() const {
        return done() ? text_fault::ends_early : text_fault::unexpected_character;
    }
};

// One octet, 0 to 255, no leading zero.
inline text_fault scan_octet(cursor& c, uint32_t& octet) {
    if (!c.sees_digit())
        return c.unexpected_here();
    const char* const start = c.at;
    octet = digit_value(*c.at++);
    if (!c.sees_digit())
        return no_fault;
    if (octet == 0) {
        c.at = start;
        return text_fault::leading_zero;
    }
    octet = octet * 10 + digit_value(*c.at++);
    if (c.sees_digit())
        octet = octet * 10 + digit_value(*c.at++);
    if (octet <= 255 && !c.sees_digit())
        return no_fault;
    c.at = start;
    return text_fault::octet_range;
}

inline text_fault scan(cursor& c, ipv4_address& out) {
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) {
        if (i != 0) {
            if (!c.sees('.'))
                return c.unexpected_here();
            ++c.at;
        }
        uint32_t octet = 0;
        if (const text_fault fault = scan_octet(c, octet); fault != no_fault)
            return fault;
        value = value << 8 | octet;
    }
    out.value = value;
    return no_fault;
}

// The groups read so far, right aligned in `value`; `gap` of them precede `::`.
struct groups {
    static constexpr unsigned no_gap = 8 + 1;

    u128 value = 0;
    unsigned count = 0;
    unsigned gap = no_gap;

    void add(uint32_t group) {
        value = value << 16 | group;
        ++count;
    }
    bool complete() const { return gap == no_gap ? count == 8 : count < 8; }
    ipv6_address result() const {
        if (gap == no_gap)
            return {value};
        const unsigned tail_bits = (count - gap) * 16;
        const u128 tail = value & low_mask<u128>(tail_bits);
        return {shift_left(shift_right(value, tail_bits), 128 - 16 * gap) | tail};
    }
};

// Scans `:` or `::` after a group or at the start; `more` tells whether a group follows.
inline text_fault scan_colons(cursor& c, groups& so_far, bool& more) {
    ++c.at;
    more = true;
    if (!c.sees(':'))
        return so_far.count != 0 ? no_fault : c.unexpected_here();
    if (so_far.gap != groups::no_gap) {
        --c.at;
        return text_fault::second_gap;
    }
    ++c.at;
    so_far.gap = so_far.count;
    more = c.sees_hex();
    return no_fault;
}

// Scans one group, or the dotted quad that ends the address (`last`).
inline text_fault scan_group(cursor& c, groups& so_far, bool& last) {
    const char* const start = c.at;
    uint32_t group = 0;
    for (; c.sees_hex(); ++c.at) {
        if (c.at - start == 4)
            return text_fault::group_length;
        group = group << 4 | hex_value(*c.at);
    }
    if (c.at == start)
        return c.unexpected_here();
    last = c.sees('.');
    if (so_far.count + (last ? 2 : 1) > 8) {
        c.at = start;
        return text_fault::group_count;
    }
    if (!last) {
        so_far.add(group);
        return no_fault;
    }
    c.at = start;
    ipv4_address quad;
    if (const text_fault fault = scan(c, quad); fault != no_fault)
        return fault;
    so_far.add(quad.value >> 16);
    so_far.add(quad.value & 0xffff);
    return no_fault;
}

inline text_fault scan(cursor& c, ipv6_address& out) {
    groups so_far;
    bool more = true;
    if (c.sees(':')) {
        if (const text_fault fault = scan_colons(c, so_far, more); fault != no_fault)
            return fault;
    }
    while (more) {
        bool last = false;
        if (const text_fault fault = scan_group(c, so_far, last); fault != no_fault)
            return fault;
        if (last || !c.sees(':'))
            break;
        if (const text_fault fault = scan_colons(c, so_far, more); fault != no_fault)
            return fault;
    }
    // If there are too few groups, the byte that belongs to no address is the better explanation.
    if (!so_far.complete())
        return c.done() || c.sees('/') ? text_fault::group_count : text_fault::unexpected_character;
    out = so_far.result();
    return no_fault;
}

// Scans a decimal length without leading zeros; the caller has read the slash.
inline text_fault scan_length(cursor& c, unsigned width, unsigned& length) {
    const char* const start = c.at;
    if (!c.sees_digit())
        return c.unexpected_here();
    length = 0;
    for (; c.sees_digit(); ++c.at) {
        if (c.at != start && *start == '0') {
            c.at = start;
            return text_fault::leading_zero;
        }
        // Saturates, so that no number of digits overflows.
        length = length > width ? length : length * 10 + digit_value(*c.at);
    }
    if (!c.done())
        return text_fault::unexpected_character;
    if (length <= width)
        return no_fault;
    c.at = start;
    return text_fault::length_range;
}

template <class A>
unexpected<text_error> refused(std::string_view text, text_fault reason, const char* at) {
    auto offset = static_cast<std::size_t>(at - text.data());
    const auto seen = detect_family(text);
    if (text.empty()) {
        reason = text_fault::empty;
    } else if (seen && *seen != family_of<A>) {
        reason = text_fault::wrong_family;
        offset = 0;
    }
    constexpr std::size_t limit = std::numeric_limits<uint32_t>::max();
    return unexpected{
        text_error{reason, family_of<A>, static_cast<uint32_t>(offset < limit ? offset : limit)}};
}

template <class A>
expected<A, text_error> parse_whole(std::string_view text) noexcept {
    cursor c{text.data(), text.data() + text.size()};
    A a;
    text_fault fault = scan(c, a);
    if (fault == no_fault && !c.done())
        fault = text_fault::unexpected_character;
    if (fault != no_fault)
        return refused<A>(text, fault, c.at);
    return a;
}

template <class A>
expected<prefix<A>, text_error> parse_parts(std::string_view text, host_bits policy) noexcept {
    cursor c{text.data(), text.data() + text.size()};
    A a;
    text_fault fault = scan(c, a);
    if (fault != no_fault)
        return refused<A>(text, fault, c.at);
    if (c.done())
        return prefix<A>{a, static_cast<uint8_t>(A::bits)};
    if (!c.sees('/'))
        return refused<A>(text, text_fault::unexpected_character, c.at);
    const char* const slash = c.at++;
    unsigned length = 0;
    fault = scan_length(c, A::bits, length);
    if (fault != no_fault)
        return refused<A>(text, fault, c.at);
    if (policy == host_bits::refuse && !prefix<A>::is_canonical(a, length))
        return refused<A>(text, text_fault::host_bits, slash);
    return prefix<A>::make(a, length);
}

// A character as it is shown to people: never a control character.
std::string shown(char c) {
    constexpr char digits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f)
        return std::string("'") + c + "'";
    if (byte == ' ')
        return "blank";
    return std::string("byte 0x") + digits[byte >> 4] + digits[byte & 15];
}

std::string describe_host_bits(text_error error, std::string_view text) {
    const auto masked = [&]<class A>(A) {
        const auto p = parse_prefix<A>(text);
        return p ? to_string(*p) : std::string();
    };
    return "bits past the prefix length are set (the prefix is " +
           (error.wanted == family::ipv4 ? masked(ipv4_address{}) : masked(ipv6_address{})) + ")";
}

// The full prefix for a text such as `10/8` or `172.16/12` that leaves octets out; empty for any other text.
// It is suggested, not accepted: without a length, some programs read 10.1 as 10.0.0.1, others as 10.1.0.0.
std::string with_all_octets(std::string_view text) {
    cursor c{text.data(), text.data() + text.size()};
    uint32_t octet = 0;
    unsigned count = 0;
    for (;; ++c.at) {
        if (scan_octet(c, octet) != no_fault)
            return {};
        ++count;
        if (!c.sees('.'))
            break;
    }
    if (count > 3 || !c.sees('/'))
        return {};
    const std::string_view octets = text.substr(0, static_cast<std::size_t>(c.at - text.data()));
    const std::string_view rest = text.substr(octets.size());
    ++c.at;
    unsigned length = 0;
    if (scan_length(c, 32, length) != no_fault)
        return {};
    std::string whole(octets);
    for (; count < 4; ++count)
        whole += ".0";
    return whole += rest;
}

std::string describe_length(text_error error, std::string_view text) {
    std::string_view number = text.substr(error.offset);
    number = number.substr(0, number.find_first_not_of("0123456789"));
    const std::string cut =
        number.size() > 20 ? std::string(number.substr(0, 20)) + "..." : std::string(number);
    return "prefix length " + cut + " is longer than " + (error.wanted == family::ipv4 ? "32" : "128");
}

} // namespace

template <>
expected<ipv4_address, text_error> parse_address<ipv4_address>(std::string_view text) noexcept {
    return parse_whole<ipv4_address>(text);
}
template <>
expected<ipv6_address, text_error> parse_address<ipv6_address>(std::string_view text) noexcept {
    return parse_whole<ipv6_address>(text);
}
template <>
expected<ipv4_prefix, text_error> parse_prefix<ipv4_address>(std::string_view text,
                                                             host_bits policy) noexcept {
    return parse_parts<ipv4_address>(text, policy);
}
template <>
expected<ipv6_prefix, text_error> parse_prefix<ipv6_address>(std::string_view text,
                                                             host_bits policy) noexcept {
    return parse_parts<ipv6_address>(text, policy);
}

std::string describe(text_error error, std::string_view text) {
    if (const std::string whole = with_all_octets(text); !whole.empty())
        return "an IPv4 prefix has four octets; write " + whole;
    const std::string column = "column " + std::to_string(std::uint64_t{error.offset} + 1);
    switch (error.reason) {
    case text_fault::empty:
        return "there is no address";
    case text_fault::ends_early:
        return "it ends too early";
    case text_fault::unexpected_character:
        return "unexpected " + (error.offset < text.size() ? shown(text[error.offset]) : "end") + " at " +
               column;
    case text_fault::wrong_family:
        return error.wanted == family::ipv4 ? "not an IPv4 address" : "not an IPv6 address";
    case text_fault::octet_range:
        return "an octet is larger than 255 at " + column;
    case text_fault::leading_zero:
        return "a number has a leading zero at " + column;
    case text_fault::group_length:
        return "a group has more than four hexadecimal digits at " + column;
    case text_fault::group_count:
        return "not eight groups, or '::' that stands for none";
    case text_fault::second_gap:
        return "'::' twice, again at " + column;
    case text_fault::length_range:
        return describe_length(error, text);
    case text_fault::host_bits:
        return describe_host_bits(error, text);
    }
    return "not an address";
}

} // namespace fingerpost
