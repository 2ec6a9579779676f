// Hand-written scanners for text.hpp: one pass, byte by byte. They are constexpr for literals.hpp. All other
// code calls the functions of text.hpp, which are compiled once.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "fingerpost/net/text.hpp"

namespace fingerpost::text_scan {

inline constexpr std::uint8_t not_hex = 0xff;

constexpr std::array<std::uint8_t, 256> make_hex_values() {
    std::array<std::uint8_t, 256> values{};
    values.fill(not_hex);
    for (unsigned i = 0; i < 10; ++i)
        values['0' + i] = static_cast<std::uint8_t>(i);
    for (unsigned i = 0; i < 6; ++i)
        values['a' + i] = values['A' + i] = static_cast<std::uint8_t>(10 + i);
    return values;
}
inline constexpr std::array<std::uint8_t, 256> hex_values = make_hex_values();

constexpr unsigned hex_value(char c) {
    return hex_values[static_cast<unsigned char>(c)];
}
// Value of a digit, or at least 10 for any other character.
constexpr unsigned digit_value(char c) {
    return static_cast<unsigned char>(c) - unsigned{'0'};
}

inline constexpr text_fault no_fault{0xff};

// A position in the text. A scanner moves `at` past the part that it accepts and stops at the first byte that
// does not fit. After a failure, `at` is the position of the fault.
struct cursor {
    const char* at;
    const char* end;

    constexpr bool done() const { return at == end; }
    constexpr bool sees(char c) const { return at != end && *at == c; }
    constexpr bool sees_digit() const { return at != end && digit_value(*at) < 10; }
    constexpr bool sees_hex() const { return at != end && hex_value(*at) != not_hex; }
    constexpr text_fault unexpected_here() const {
        return done() ? text_fault::ends_early : text_fault::unexpected_character;
    }
};

// Scans one octet, 0 to 255 without a leading zero.
constexpr text_fault scan_octet(cursor& c, std::uint32_t& octet) {
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

constexpr text_fault scan(cursor& c, ipv4_address& out) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) {
        if (i != 0) {
            if (!c.sees('.'))
                return c.unexpected_here();
            ++c.at;
        }
        std::uint32_t octet = 0;
        if (const text_fault fault = scan_octet(c, octet); fault != no_fault)
            return fault;
        value = value << 8 | octet;
    }
    out.value = value;
    return no_fault;
}

// Groups read so far, right aligned in `value`. `gap` of them precede `::`.
struct groups {
    static constexpr unsigned no_gap = 8 + 1;

    u128 value = 0;
    unsigned count = 0;
    unsigned gap = no_gap;

    constexpr void add(std::uint32_t group) {
        value = value << 16 | group;
        ++count;
    }
    constexpr bool complete() const { return gap == no_gap ? count == 8 : count < 8; }
    constexpr ipv6_address result() const {
        if (gap == no_gap)
            return {value};
        const unsigned tail_bits = (count - gap) * 16;
        const u128 tail = value & low_mask<u128>(tail_bits);
        return {shift_left(shift_right(value, tail_bits), 128 - 16 * gap) | tail};
    }
};

// Scans `:` or `::` after a group or at the start, and sets `more` if a group follows.
constexpr text_fault scan_colons(cursor& c, groups& so_far, bool& more) {
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

// Scans one group, or the dotted quad that ends the address; then sets `last`.
constexpr text_fault scan_group(cursor& c, groups& so_far, bool& last) {
    const char* const start = c.at;
    std::uint32_t group = 0;
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

constexpr text_fault scan(cursor& c, ipv6_address& out) {
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
    // If groups are missing, the unexpected character explains the failure better.
    if (!so_far.complete())
        return c.done() || c.sees('/') ? text_fault::group_count : text_fault::unexpected_character;
    out = so_far.result();
    return no_fault;
}

// Scans a decimal length without leading zeros, after the slash.
constexpr text_fault scan_length(cursor& c, unsigned width, unsigned& length) {
    const char* const start = c.at;
    if (!c.sees_digit())
        return c.unexpected_here();
    length = 0;
    for (; c.sees_digit(); ++c.at) {
        if (c.at != start && *start == '0') {
            c.at = start;
            return text_fault::leading_zero;
        }
        // Saturates to avoid overflow with any number of digits.
        length = length > width ? length : length * 10 + digit_value(*c.at);
    }
    if (!c.done())
        return text_fault::unexpected_character;
    if (length <= width)
        return no_fault;
    c.at = start;
    return text_fault::length_range;
}

// Scans a text that consists of one address.
template <class A>
constexpr text_fault scan_whole(cursor& c, A& out) {
    const text_fault fault = scan(c, out);
    return fault == no_fault && !c.done() ? text_fault::unexpected_character : fault;
}

// Scans a text that consists of one address or prefix. Refused host bits are a fault at the slash.
template <class A>
constexpr text_fault scan_whole(cursor& c, prefix<A>& out, host_bits policy) {
    A a;
    if (const text_fault fault = scan(c, a); fault != no_fault)
        return fault;
    unsigned length = A::bits;
    if (!c.done()) {
        if (!c.sees('/'))
            return text_fault::unexpected_character;
        const char* const slash = c.at++;
        if (const text_fault fault = scan_length(c, A::bits, length); fault != no_fault)
            return fault;
        if (policy == host_bits::refuse && !prefix<A>::is_canonical(a, length)) {
            c.at = slash;
            return text_fault::host_bits;
        }
    }
    out = prefix<A>::make(a, length);
    return no_fault;
}

} // namespace fingerpost::text_scan
