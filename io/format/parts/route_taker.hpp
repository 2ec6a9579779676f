// Adds routes to a table: parses the forms of a prefix and determines its family.
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

// A refused text and the reason.
struct route_fault {
    std::string text;
    std::string reason;
};

// Parses a prefix for readers that store routes themselves. Calls take(prefix, masked) with a prefix of
// either family, unless its family is skipped. Returns the fault of the prefix.
template <class Take>
std::optional<route_fault> take_prefix(table_builder& builder, host_bits policy, std::string_view where,
                                       Take take) {
    const auto detected = detect_family(where);
    const auto chosen = builder.choose(detected);
    if (chosen == table_builder::choice::skip)
        return std::nullopt;
    if (chosen == table_builder::choice::refuse)
        return route_fault{std::string(where), builder.refusal(*detected)};
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
    return builder.kind() == family::ipv4 ? take_as(ipv4_address{}) : take_as(ipv6_address{});
}

class route_taker {
  public:
    explicit route_taker(const table_options& options) : options_(options), builder_(options) {}

    // Adds a route, or skips one of the other family. Returns the fault otherwise. `cells`: one for each
    // column. `default` has the family that was requested, or else the family of the previous route, of the
    // next route, or IPv4.
    std::optional<route_fault> add(std::string_view where, std::span<const std::string_view> cells);
    // Adds a route in the most frequent form: of the previous route's family, in the usual notation. Returns
    // false for any other route, for which add() must be called.
    bool add_usual(std::string_view where, std::span<const std::string_view> cells);
    // Adds the prefixes that make up a range; both ends are included. The ends are addresses or, as in
    // geolocation tables, decimal numbers.
    std::optional<route_fault> add_range(std::string_view first, std::string_view last,
                                         std::span<const std::string_view> cells);
    // Adds a default route of this family. If it is not known, the family is chosen as in add().
    std::optional<route_fault> add_default(std::optional<family> known,
                                           std::span<const std::string_view> cells);

    // Whether there was a route, added or skipped.
    bool has_begun() const noexcept { return last_.has_value() || waiting_.has_value(); }
    const table_options& options() const noexcept { return options_; }
    table_builder& builder() noexcept { return builder_; }

    both_tables finish_both(std::uint64_t lines) &&;
    one_table finish(std::uint64_t lines) &&;

  private:
    void begins(family route_family);
    template <class A>
    std::optional<route_fault> add_as(std::string_view where, std::span<const std::string_view> cells);
    template <class A>
    std::optional<route_fault> add_unusual(std::string_view where, text_error error,
                                           std::span<const std::string_view> cells);
    template <class A>
    std::optional<route_fault> add_between(A first, A last, std::span<const std::string_view> cells);
    std::optional<route_fault> refuse_family(std::string_view where, family route_family) const;
    void settle_default();

    table_options options_;
    table_builder builder_;
    std::optional<family> last_;
    // Cells of a default route that came before all other routes.
    std::optional<std::vector<std::optional<std::string>>> waiting_;
    bool numbers_are_ipv6_ = false;
};

// Returns the length of a mask (ones, then zeros), or nothing if it is not one.
template <class A>
constexpr std::optional<unsigned> netmask_length(A mask) noexcept {
    const auto free_bits = static_cast<typename A::value_type>(~mask.value);
    if ((free_bits & (free_bits + 1)) != 0)
        return std::nullopt;
    return leading_zeros(free_bits);
}
// Returns the length of a wildcard (zeros, then ones): 0.0.0.255 is a /24.
template <class A>
constexpr std::optional<unsigned> wildcard_length(A mask) noexcept {
    return netmask_length(A{static_cast<typename A::value_type>(~mask.value)});
}
// Returns the length of a mask or wildcard; all zeros and all ones are masks.
template <class A>
constexpr std::optional<unsigned> length_of_mask(A mask) noexcept {
    const auto length = netmask_length(mask);
    return length ? length : wildcard_length(mask);
}

} // namespace fingerpost::io
