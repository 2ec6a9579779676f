// Compares the values once for each row, since many routes share a row.
#include "cli/convert/chosen_routes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

// A missing column counts as empty text.
template <class A>
void keep_met(io::loaded_table<A>& table, const condition_text& what) {
    const auto column = table.values.view().find(what.column);
    std::vector<bool> is_met(table.values.size());
    for (std::uint32_t row = 0; row < is_met.size(); ++row) {
        const std::string_view cell = column ? table.values.cell(next_hop{row}, *column) : std::string_view();
        is_met[row] = (cell == what.value) == what.is_equal;
    }
    std::erase_if(table.routes, [&](const route<A>& r) { return !is_met[r.hop.id]; });
}

void add_names(const value_rows& values, std::vector<std::string_view>& names) {
    for (std::size_t i = 0; i < values.columns(); ++i)
        if (std::find(names.begin(), names.end(), values.name(i)) == names.end())
            names.push_back(values.name(i));
}

} // namespace

void keep_routes(io::both_tables& tables, std::span<const condition_text> where) {
    for (const condition_text& what : where) {
        if (!tables.ipv4.values.view().find(what.column) && !tables.ipv6.values.view().find(what.column)) {
            std::vector<std::string_view> names;
            add_names(tables.ipv4.values, names);
            add_names(tables.ipv6.values, names);
            throw usage_error(
                fmt::format("--where: no column '{}'; columns: {}", what.column, fmt::join(names, ", ")));
        }
        keep_met(tables.ipv4, what);
        keep_met(tables.ipv6, what);
    }
}

} // namespace fingerpost::cli
