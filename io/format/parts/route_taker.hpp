// What all readers of tables do with a route: the ways to write a prefix, its family, and the table it goes
// to.
//
//     10.0.0.0/8            10.0.0.0/255.0.0.0      10.0.0.0-10.255.255.255      default
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/parts/table_data.hpp"

namespace fingerpost::io {

// The text that is refused, and why.
struct route_fault {
    std::string text;
    std::string reason;
};

class route_taker {
  public:
    explicit route_taker(const table_options& options) : options_(options), made_(options) {}

    // Takes a route, or skips one of a family that is not wanted; else says what is wrong with it. A cell for
    // each column. `default` is of the family of the route before it; at the start, of the one behind it.
    std::optional<route_fault> add(std::string_view where, std::span<const std::string_view> cells);
    // Takes a route as most are, of the family of the one before and written in the usual way. False for any
    // other, which add() then takes or refuses.
    bool add_usual(std::string_view where, std::span<const std::string_view> cells);
    // Takes the prefixes that make up a range, both ends included. The ends are addresses or, as geolocation
    // tables have them, their values as decimal numbers.
    std::optional<route_fault> add_range(std::string_view first, std::string_view last,
                                         std::span<const std::string_view> cells);
    // Takes a default route of the family of this address, of the table's if there is none.
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
    std::optional<std::vector<std::string>> waiting_; // the cells of a default route before any other route
    bool numbers_are_ipv6_ = false;
};

// `a.b.c.d` as the length of the mask that it is; nothing when it is none.
std::optional<unsigned> mask_length(std::string_view text) noexcept;

} // namespace fingerpost::io
