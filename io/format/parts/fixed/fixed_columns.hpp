// The routes of formats whose columns have fixed names: some of the columns are kept, and of equal prefixes
// the later one counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/route_taker.hpp"
#include "io/format/parts/table_columns.hpp"

namespace fingerpost::io {

// The columns that a format has, and how many of them, from the first on, are kept if no value is named.
struct fixed_names {
    std::span<const std::string_view> all;
    std::size_t usual;
};

class fixed_columns {
  public:
    // Fails with an explanation if a wanted value or network is none of the columns.
    static expected<fixed_columns, std::string> make(table_options options, const fixed_names& names);

    // As in route_taker; `cells` are those of all columns.
    std::optional<route_fault> add(std::string_view where, std::span<const std::string_view> cells) {
        return taker_.add(where, kept_.of(cells));
    }
    std::optional<route_fault> add_range(std::string_view first, std::string_view last,
                                         std::span<const std::string_view> cells) {
        return taker_.add_range(first, last, kept_.of(cells));
    }
    // Takes a prefix, or skips one of an unwanted family; otherwise returns why it is refused.
    template <class A>
    std::optional<route_fault> add(const prefix<A>& where, std::span<const std::string_view> cells,
                                   bool masked = false) {
        table_builder& made = taker_.builder();
        switch (made.choose(family_of<A>)) {
        case table_builder::choice::skip:
            return std::nullopt;
        case table_builder::choice::refuse:
            return route_fault{to_string(where), made.refusal(family_of<A>)};
        case table_builder::choice::take:
            made.add(where, kept_.of(cells), masked);
        }
        return std::nullopt;
    }
    // Counts a route that its program did not choose.
    void leave_out() noexcept { ++not_chosen_; }
    const table_options& options() const noexcept { return taker_.options(); }

    // `left_out`: routes that were not even compared, as those of other routing tables.
    both_tables finish_both(std::uint64_t lines, std::uint64_t bad, std::uint64_t left_out) &&;
    one_table finish(std::uint64_t lines, std::uint64_t bad, std::uint64_t left_out) &&;

  private:
    fixed_columns(const table_options& options, value_columns kept, std::span<const std::string_view> names);

    route_taker taker_;
    value_columns kept_;
    std::uint64_t not_chosen_ = 0;
};

} // namespace fingerpost::io
