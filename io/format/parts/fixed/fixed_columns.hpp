// Routes of formats whose columns have fixed names. Some of the columns are kept; a later route replaces an
// earlier one with the same prefix.
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

// Columns of a format. The first `usual` ones are kept if the user names no values.
struct fixed_names {
    std::span<const std::string_view> columns;
    std::size_t usual;
};

class fixed_columns {
  public:
    // Fails with an explanation if a requested value or network is not one of the columns.
    static expected<fixed_columns, std::string> make(table_options options, const fixed_names& names);

    // Adds a route as route_taker::add() does. `cells`: one for each column.
    std::optional<route_fault> add(std::string_view where, std::span<const std::string_view> cells) {
        return taker_.add(where, selection_.of(cells));
    }
    std::optional<route_fault> add_range(std::string_view first, std::string_view last,
                                         std::span<const std::string_view> cells) {
        return taker_.add_range(first, last, selection_.of(cells));
    }
    // Adds a prefix, or skips one of the other family. Returns the fault if it is refused.
    template <class A>
    std::optional<route_fault> add(const prefix<A>& where, std::span<const std::string_view> cells,
                                   bool masked = false) {
        table_builder& builder = taker_.builder();
        switch (builder.choose(family_of<A>)) {
        case table_builder::choice::skip:
            return std::nullopt;
        case table_builder::choice::refuse:
            return route_fault{to_string(where), builder.refusal(family_of<A>)};
        case table_builder::choice::take:
            builder.add(where, selection_.of(cells), masked);
        }
        return std::nullopt;
    }
    // Counts a route that its program did not select.
    void leave_out() noexcept { ++not_chosen_; }
    const table_options& options() const noexcept { return taker_.options(); }

    // `left_out`: routes that were not compared, such as those of other routing tables.
    both_tables finish_both(std::uint64_t lines, std::uint64_t bad, std::uint64_t left_out) &&;
    one_table finish(std::uint64_t lines, std::uint64_t bad, std::uint64_t left_out) &&;

  private:
    fixed_columns(const table_options& options, value_columns selection,
                  std::span<const std::string_view> names);

    route_taker taker_;
    value_columns selection_;
    std::uint64_t not_chosen_ = 0;
};

} // namespace fingerpost::io
