// Selects one of the routing tables in an input. Programs print all their tables one after the other. If two
// tables were read as one, lookups would answer with routes of either.
//
// The user names a table; otherwise the main table is read. An input without a main table is read if all
// routes of a family are in one table, as when a single table was printed.
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
    // `main_names`: names that the program gives its main tables. They must outlive this object.
    table_selection(const table_options& options, std::span<const std::string_view> main_names);

    enum class step : std::uint8_t {
        take,
        restart, // take it, and forget the routes before it, which are of another table
        leave,   // counted in `others`
    };
    // Decides about a route of the table `name`. `route_family`: its family, if known.
    step next(std::string_view name, std::optional<family> route_family, left_out& others);
    // Ends the input. Returns the fault if the requested table is missing, or if there are several tables and
    // none is a main table.
    std::optional<std::string> fault(const left_out& others) const;

  private:
    struct candidate {
        std::string name;
        std::uint64_t routes = 0;
    };
    bool is_main(std::string_view name) const noexcept;

    std::optional<std::string> requested_;
    std::optional<family> only_;
    std::string_view advice_;
    std::span<const std::string_view> main_names_;
    bool has_selected_ = false; // there was a route of the requested or main table
    // of IPv4 and IPv6: the first table, which is read if there is no main table
    std::array<candidate, 2> candidates_{};
    std::array<bool, 2> has_several_{};
};

// The routes of an input by routing table. Table is fixed_columns or best_table.
template <class Table>
class routing_tables {
  public:
    routing_tables(Table empty, const table_options& options,
                   std::span<const std::string_view> main_names = {})
        : selection_(options, main_names), on_left_out_(options.on_left_out), empty_(std::move(empty)),
          table_(empty_) {}

    // Returns the table for inputs without routing tables.
    Table& table() noexcept { return table_; }
    // Returns where to add a route of the table `name`; nullptr if the route is left out.
    Table* table_for(std::string_view name, std::optional<family> route_family) {
        switch (selection_.next(name, route_family, others_)) {
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

    // Call this before finishing. Reports the routes that were left out, or returns the fault.
    std::optional<std::string> settle() {
        auto fault = selection_.fault(others_);
        if (!fault && !others_.empty() && on_left_out_)
            on_left_out_(others_.words());
        return fault;
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
