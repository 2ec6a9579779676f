// Widens rows of values. Different rows stay different, so they keep their numbers.
#include "io/source/combine/column_join.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "io/format/parts/table_columns.hpp"
#include "io/format/parts/table_types.hpp"

namespace fingerpost::io {
namespace {

value_rows widened(const value_rows& narrow, std::size_t key, const std::vector<std::string>& names,
                   const column_file& file) {
    value_rows wide(views(names));
    std::vector<std::string_view> cells(names.size());
    for (std::uint32_t row = 0; row < narrow.size(); ++row) {
        for (std::size_t i = 0; i < narrow.columns(); ++i)
            cells[i] = narrow.cell(next_hop{row}, i);
        const std::optional<next_hop> file_row = file.find(cells[key]);
        for (std::size_t i = narrow.columns(); i < cells.size(); ++i)
            cells[i] = file_row ? file.cell(*file_row, i - narrow.columns()) : missing_cell;
        wide.intern(cells);
    }
    for (std::size_t i = 0; i < names.size(); ++i)
        wide.set_type(i, i < narrow.columns() ? narrow.type(i) : file.type(i - narrow.columns()));
    return wide;
}

} // namespace

expected<bool, std::string> join_columns(both_tables& tables, std::string_view key, const column_file& file) {
    std::vector<std::string> names = names_of(tables.ipv4.values);
    const auto column = find_column(names, key);
    if (!column)
        return false;
    const auto has = [&](const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const std::string name_prefix = names[*column] + "_";
    for (const std::string& file_column : file.names()) {
        std::string name = has(file_column) ? name_prefix + file_column : file_column;
        if (has(name))
            return unexpected{"the table has the columns " + io::quoted(file_column) + " and " +
                              io::quoted(name) +
                              " already; choose fewer of its columns in table_options::values"};
        names.push_back(std::move(name));
    }
    tables.ipv4.values = widened(tables.ipv4.values, *column, names, file);
    tables.ipv6.values = widened(tables.ipv6.values, *column, names, file);
    return true;
}

} // namespace fingerpost::io
