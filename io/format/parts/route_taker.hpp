// What all readers of tables do with a route: parse the forms of a prefix, determine its family, and add it
// to a table.
//
//     10.0.0.0/8            10.0.0.0/255.0.0.0      10.0.0.0-10.255.255.255      default
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/bits.hpp"
#include "io/format/parts/table_data.hpp"

namespace fingerpost::io {

// The refused text, and why it was refused.
struct route_fault {
    std::string text;
    std::string reason;
};

// For readers that keep the routes of a prefix themselves: calls take(prefix, masked) with the prefix of
// either family, unless its family is skipped. Returns what is wrong with it.
template <class Take>
std::optional<route_fault> take_prefix(table_builder& made, host_bits policy, std::string_view where,
                                       Take take) {
    const auto seen = detect_family(where);
    const auto chosen = made.choose(seen);
    if (chosen == table_builder::choice::skip)
        return std::nullopt;
    if (chosen == table_builder::choice::refuse)
        return route_fault{std::string(where), made.refusal(*seen)};
    const auto take_as = [&]<class A>(A) -> std::optional<route_fault> {
        auto p = parse_prefix<A>(where, host_bits::refuse);
        const bool masks = !p && p.error().reason == text_fault::host_bits && policy == host_bits::mask;
        if (masks)
            p = parse_prefix<A>(where);
        if (!p)
            return route_fault{std::string(where), message(p.error())};
        take(*p, masks);
        return std::nullopt;
    };
    return made.kind() == family::ipv4 ? take_as(ipv4_address{}) : take_as(ipv6_address{});
}

class route_taker {
  public:
    explicit route_taker(const table_options& options) : options_(options), made_(options) {}

    // Takes a route, or skips one of an unwanted family; otherwise returns what is wrong with it. There is
    // one cell for each column. `default` has the wanted family, else that of the previous route, else that
    // of the next one, else IPv4.
    std::optional<route_fault> add(std::string_view where, std::span<const std::string_view> cells);
    // Takes a route in the most frequent form: of the previous route's family, and written in the usual way.
    // False for any other route; then call add().
    bool add_usual(std::string_view where, std::span<const std::string_view> cells);
    // Takes the prefixes that make up a range with both ends included. The ends are addresses or, as in
    // geolocation tables, decimal numbers.
    std::optional<route_fault> add_range(std::string_view first, std::string_view last,
                                         std::span<const std::string_view> cells);
    // Takes a default route of this family; if it is not known, of the one that add() says for `default`.
    std::optional<route_fault> add_default(std::optional<family> known,
                                           std::span<const std::string_view> cells);

    // Whether there was a route, taken or skipped.
    bool has_begun() const noexcept { return last_.has_value() || waiting_.has_value(); }
    const table_options& options() const noexcept { return options_; }
    table_builder& builder() noexcept { return made_; }

    both_tables finish_both(std::uint64_t lines) &&;
    one_table finish(std::uint64_t lines) &&;

  private:
    void begins(family seen);
    template <class A>
    std::optional<route_fault> add_as(std::string_view where, std::span<const std::string_view> cells);
    template <class A>
    std::optional<route_fault> add_unusual(std::string_view where, text_error error,
                                           std::span<const std::string_view> cells);
    template <class A>
    std::optional<route_fault> add_between(A first, A last, std::span<const std::string_view> cells);
    std::optional<route_fault> refuse_family(std::string_view where, family seen) const;
    void settle_default();

    table_options options_;
    table_builder made_;
    std::optional<family> last_;
    // The cells of a default route before any other route.
    std::optional<std::vector<std::optional<std::string>>> waiting_;
    bool numbers_are_ipv6_ = false;
};

// The length of a mask, ones and then zeros; nothing if it is none.
template <class A>
constexpr std::optional<unsigned> netmask_length(A mask) noexcept {
    const auto free_bits = static_cast<typename A::value_type>(~mask.value);
    if ((free_bits & (free_bits + 1)) != 0)
        return std::nullopt;
    return leading_zeros(free_bits);
}
// The same of a wildcard, zeros and then ones: 0.0.0.255 is a /24.
template <class A>
constexpr std::optional<unsigned> wildcard_length(A mask) noexcept {
    return netmask_length(A{static_cast<typename A::value_type>(~mask.value)});
}
// The same of either; all zeros and all ones are masks.
template <class A>
constexpr std::optional<unsigned> length_of_mask(A mask) noexcept {
    const auto length = netmask_length(mask);
    return length ? length : wildcard_length(mask);
}

} // namespace fingerpost::io
