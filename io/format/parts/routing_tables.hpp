// Which of the routing tables in one input is read. Programs print all of their tables after one another, and
// two tables that were read as one would answer with the routes of either.
//
// The user names a table; otherwise the main one is read. An input without any route of a main table is read
// if the routes of each family are of one table, as when a single table was printed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/left_out.hpp"
#include "io/format/parts/table_data.hpp"

namespace fingerpost::io {

class table_selection {
  public:
    // `main_names`: what the program calls its main tables. They outlive this object.
    table_selection(const table_options& options, std::span<const std::string_view> main_names);

    enum class step : std::uint8_t {
        take,
        restart, // take it, and forget the routes before it: they are of another table
        leave,   // it is counted in `others`
    };
    // For a route of the table `name`. `seen`: its family, if it is known.
    step next(std::string_view name, std::optional<family> seen, left_out& others);
    // At the end: what is wrong, if the table that is to be read is not there, or if there are several and
    // none of them is the main one.
    std::optional<std::string> fault(const left_out& others) const;

  private:
    struct candidate {
        std::string name;
        std::uint64_t routes = 0;
    };
    bool is_main(std::string_view name) const noexcept;

    std::optional<std::string> wanted_;
    std::optional<family> only_;
    std::string_view advice_;
    std::span<const std::string_view> main_names_;
    bool is_found_ = false;                 // there was a route of the table that is read for sure
    std::array<candidate, 2> candidates_{}; // of IPv4 and IPv6: what is read if there is no main table
    std::array<bool, 2> has_several_{};
};

// The routes of an input. Table is fixed_columns or best_table.
template <class Table>
class routing_tables {
  public:
    routing_tables(Table empty, const table_options& options,
                   std::span<const std::string_view> main_names = {})
        : selection_(options, main_names), on_left_out_(options.on_left_out), empty_(std::move(empty)),
          table_(empty_) {}

    // For routes of all inputs without tables.
    Table& table() noexcept { return table_; }
    // Where to add a route of the table `name`; nullptr if it is left out.
    Table* table_for(std::string_view name, std::optional<family> seen) {
        switch (selection_.next(name, seen, others_)) {
        case table_selection::step::leave:
            return nullptr;
        case table_selection::step::restart:
            table_ = empty_;
            break;
        case table_selection::step::take:
            break;
        }
        return &table_;
    }
    left_out& others() noexcept { return others_; }

    // At the end, before one of the next two: reports what was left out, or returns what is wrong.
    std::optional<std::string> settle() {
        auto wrong = selection_.fault(others_);
        if (!wrong && !others_.empty() && on_left_out_)
            on_left_out_(others_.words());
        return wrong;
    }
    both_tables finish_both(std::uint64_t lines, std::uint64_t bad) && {
        return std::move(table_).finish_both(lines, bad, others_.count());
    }
    one_table finish(std::uint64_t lines, std::uint64_t bad) && {
        return std::move(table_).finish(lines, bad, others_.count());
    }

  private:
    table_selection selection_;
    std::function<void(const std::string&)> on_left_out_;
    Table empty_;
    Table table_;
    left_out others_;
};

} // namespace fingerpost::io
