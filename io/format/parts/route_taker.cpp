// Parses all forms of prefixes, and divides ranges into prefixes.
#include "io/format/parts/route_taker.hpp"

#include <algorithm>
#include <utility>

#include "fingerpost/net/range.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_number(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// Returns nothing if the number has more than 128 bits.
std::optional<u128> number_of(std::string_view digits) {
    u128 value = 0;
    for (const char c : digits) {
        const auto digit = static_cast<unsigned>(c - '0');
        if (value > (~u128{0} - digit) / 10)
            return std::nullopt;
        value = value * 10 + digit;
    }
    return value;
}

constexpr std::string_view separator_of_ends = "-";

std::string range_text(std::string_view first, std::string_view last) {
    return std::string(first).append(separator_of_ends).append(last);
}

} // namespace

std::optional<route_fault> route_taker::refuse_family(std::string_view where, family route_family) const {
    return route_fault{std::string(where), builder_.refusal(route_family)};
}

// Records the family of a route. Adds a default route that waited for it.
void route_taker::begins(family route_family) {
    last_ = route_family;
    if (waiting_)
        settle_default();
}

void route_taker::settle_default() {
    const std::vector<std::optional<std::string>> texts = std::move(*waiting_);
    waiting_.reset();
    std::vector<std::string_view> cells;
    for (const std::optional<std::string>& text : texts)
        cells.push_back(text ? std::string_view(*text) : missing_cell);
    cells.resize(builder_.columns());
    const bool kept_empty = builder_.keep_empty_texts();
    (void)add_default(last_.value_or(family::ipv4), cells);
    builder_.keep_empty_texts(kept_empty);
}

std::optional<route_fault> route_taker::add_default(std::optional<family> known,
                                                    std::span<const std::string_view> cells) {
    if (!known)
        known = options_.only ? options_.only : last_;
    if (!known) {
        waiting_.emplace();
        for (const std::string_view cell : cells)
            waiting_->push_back(builder_.is_missing(cell) ? std::nullopt : std::optional<std::string>(cell));
        return std::nullopt;
    }
    return add(*known == family::ipv4 ? "0.0.0.0/0" : "::/0", cells);
}

bool route_taker::add_usual(std::string_view where, std::span<const std::string_view> cells) {
    const auto detected = detect_family(where);
    if (!detected || last_ != detected || builder_.kind() != *detected)
        return false;
    const auto add_parsed = [&](const auto& parsed) {
        if (parsed)
            builder_.add(*parsed, cells);
        return parsed.has_value();
    };
    return *detected == family::ipv4 ? add_parsed(parse_prefix<ipv4_address>(where, host_bits::refuse))
                                     : add_parsed(parse_prefix<ipv6_address>(where, host_bits::refuse));
}

std::optional<route_fault> route_taker::add(std::string_view where, std::span<const std::string_view> cells) {
    const auto detected = detect_family(where);
    if (!detected && where == "default")
        return add_default(std::nullopt, cells);
    if (detected)
        begins(*detected);
    switch (builder_.choose(detected)) {
    case table_builder::choice::skip:
        return std::nullopt;
    case table_builder::choice::refuse:
        return refuse_family(where, *detected);
    case table_builder::choice::take:
        break;
    }
    return builder_.kind() == family::ipv4 ? add_as<ipv4_address>(where, cells)
                                           : add_as<ipv6_address>(where, cells);
}

template <class A>
std::optional<route_fault> route_taker::add_as(std::string_view where,
                                               std::span<const std::string_view> cells) {
    const auto p = parse_prefix<A>(where, host_bits::refuse);
    if (!p)
        return add_unusual<A>(where, p.error(), cells);
    builder_.add(*p, cells);
    return std::nullopt;
}

template <class A>
std::optional<route_fault> route_taker::add_unusual(std::string_view where, text_error error,
                                                    std::span<const std::string_view> cells) {
    if (error.reason == text_fault::host_bits && options_.policy == host_bits::mask) {
        builder_.add(*parse_prefix<A>(where), cells, true);
        return std::nullopt;
    }
    if (const auto dash = where.find(separator_of_ends); dash != std::string_view::npos)
        return add_range(trimmed(where.substr(0, dash)), trimmed(where.substr(dash + 1)), cells);
    if constexpr (A::bits == ipv4_address::bits) {
        const auto slash = where.find('/');
        const std::string_view mask = slash == std::string_view::npos ? "" : where.substr(slash + 1);
        if (const auto parsed = parse_address<ipv4_address>(mask)) {
            const auto length = length_of_mask(*parsed);
            if (!length)
                return route_fault{std::string(where), "not a netmask"};
            return add_as<A>(std::string(where.substr(0, slash + 1)) + std::to_string(*length), cells);
        }
    }
    return route_fault{std::string(where), message(error)};
}

std::optional<route_fault> route_taker::add_range(std::string_view first, std::string_view last,
                                                  std::span<const std::string_view> cells) {
    const auto refuse = [&](std::string reason) {
        return route_fault{range_text(first, last), std::move(reason)};
    };
    const auto add_as_family = [&](family kind, auto add_blocks) -> std::optional<route_fault> {
        begins(kind);
        switch (builder_.choose(kind)) {
        case table_builder::choice::skip:
            return std::nullopt;
        case table_builder::choice::refuse:
            return refuse_family(range_text(first, last), kind);
        case table_builder::choice::take:
            break;
        }
        return add_blocks();
    };
    if (is_number(first) && is_number(last)) {
        const auto low = number_of(first);
        const auto high = number_of(last);
        if (!low || !high)
            return refuse("the number of an address must have at most 128 bits");
        // IPv4-mapped addresses, with which IPv6 ranges begin, also have more than 32 bits.
        numbers_are_ipv6_ = numbers_are_ipv6_ || ((*low | *high) >> ipv4_address::bits) != 0;
        if (numbers_are_ipv6_ || options_.only == family::ipv6)
            return add_as_family(family::ipv6,
                                 [&] { return add_between(ipv6_address{*low}, ipv6_address{*high}, cells); });
        return add_as_family(family::ipv4, [&] {
            return add_between(ipv4_address{static_cast<std::uint32_t>(*low)},
                               ipv4_address{static_cast<std::uint32_t>(*high)}, cells);
        });
    }
    const auto add_parsed = [&]<class A>(A) -> std::optional<route_fault> {
        const auto low = parse_address<A>(first);
        if (!low)
            return route_fault{std::string(first), message(low.error())};
        const auto high = parse_address<A>(last);
        if (!high)
            return route_fault{std::string(last), message(high.error())};
        return add_as_family(family_of<A>, [&] { return add_between(*low, *high, cells); });
    };
    if (detect_family(first) == family::ipv4)
        return add_parsed(ipv4_address{});
    return add_parsed(ipv6_address{});
}

template <class A>
std::optional<route_fault> route_taker::add_between(A first, A last,
                                                    std::span<const std::string_view> cells) {
    if (last < first)
        return route_fault{range_text(to_string(first), to_string(last)), "the range ends before it begins"};
    for_each_block(first, last, [&](const prefix<A>& block) { builder_.add(block, cells); });
    return std::nullopt;
}

both_tables route_taker::finish_both(std::uint64_t lines) && {
    if (waiting_)
        settle_default();
    return std::move(builder_).finish_both(lines);
}

one_table route_taker::finish(std::uint64_t lines) && {
    if (waiting_)
        settle_default();
    return std::move(builder_).finish(lines);
}

} // namespace fingerpost::io
