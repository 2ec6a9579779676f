// The changes from one table to another: routes that were added, removed, or got other values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/table_data.hpp"

namespace fingerpost::cli {

enum class difference_kind : std::uint8_t { added, removed, changed };

template <class A>
struct route_difference {
    difference_kind kind;
    prefix<A> where;
    // One cell per column. Empty if there is no route.
    std::span<const std::string_view> before{};
    std::span<const std::string_view> after{};
};

// Numbers of routes.
struct difference_counts {
    std::size_t added = 0;
    std::size_t removed = 0;
    std::size_t changed = 0;
    std::size_t same = 0;

    bool has_any() const noexcept { return added + removed + changed != 0; }
};

// The columns in which two tables are compared, and their positions in each table.
struct common_columns {
    std::vector<std::string> names;
    std::vector<std::size_t> before;
    std::vector<std::size_t> after;
    std::vector<column_type> types = {}; // types that hold the values of both tables
};

// Columns with the same names, in the order of the first table. Two tables with one column each are compared
// whatever their names. A table without routes gets the columns of the other. Returns an explanation if a
// table lacks a column of the other.
expected<common_columns, std::string> columns_of_both(const io::both_tables& before,
                                                      const io::both_tables& after);

// Calls each(route_difference<A>) in prefix order. Values are compared as texts, because each table numbers
// its values independently. So a missing value equals an empty text; the text form of updates cannot
// distinguish them.
template <class A, class Each>
difference_counts for_each_difference(const io::loaded_table<A>& before, const io::loaded_table<A>& after,
                                      const common_columns& columns, Each each) {
    std::vector<std::string_view> from(columns.names.size());
    std::vector<std::string_view> to(columns.names.size());
    const auto fill = [](std::vector<std::string_view>& cells, const io::loaded_table<A>& table,
                         const std::vector<std::size_t>& places, const route<A>& r) {
        for (std::size_t i = 0; i < cells.size(); ++i)
            cells[i] = table.values.cell(r.hop, places[i]);
    };
    difference_counts counts;
    auto old_one = before.routes.begin();
    auto new_one = after.routes.begin();
    const auto old_end = before.routes.end();
    const auto new_end = after.routes.end();
    while (old_one != old_end || new_one != new_end) {
        if (new_one == new_end || (old_one != old_end && old_one->where < new_one->where)) {
            fill(from, before, columns.before, *old_one);
            each(route_difference<A>{difference_kind::removed, old_one->where, from, {}});
            ++counts.removed;
            ++old_one;
        } else if (old_one == old_end || new_one->where < old_one->where) {
            fill(to, after, columns.after, *new_one);
            each(route_difference<A>{difference_kind::added, new_one->where, {}, to});
            ++counts.added;
            ++new_one;
        } else {
            fill(from, before, columns.before, *old_one);
            fill(to, after, columns.after, *new_one);
            const bool is_same = from == to;
            if (!is_same)
                each(route_difference<A>{difference_kind::changed, old_one->where, from, to});
            ++(is_same ? counts.same : counts.changed);
            ++old_one;
            ++new_one;
        }
    }
    return counts;
}

} // namespace fingerpost::cli
