// Finds the common type of all cells of a column, in both families.
#include "io/format/parts/table_types.hpp"

#include <algorithm>
#include <utility>

#include "io/format/parts/input_error.hpp"
#include "io/format/parts/table_columns.hpp"

namespace fingerpost::io {
namespace {

template <class A>
std::vector<char> used_rows(const loaded_table<A>& table) {
    std::vector<char> is_used(table.values.size());
    for (const route<A>& entry : table.routes)
        is_used[entry.hop.id] = 1;
    return is_used;
}

void set_type(both_tables& tables, std::size_t column, column_type type) {
    tables.ipv4.values.set_type(column, type);
    tables.ipv6.values.set_type(column, type);
}

// Returns the narrowest type that all cells have and that is not narrower than the declared type.
column_type widened(column_type declared, const common_types& common) {
    if (common.has(declared))
        return declared;
    return declared == column_type::integer && common.has(column_type::number) ? column_type::number
                                                                               : column_type::text;
}

// Returns the first text of a column that does not have the type.
template <class A>
std::optional<std::string_view> misfit(const loaded_table<A>& table, std::size_t column, column_type type) {
    const std::vector<char> is_used = used_rows(table);
    for (std::uint32_t row = 0; row < is_used.size(); ++row)
        if (const std::string_view cell = table.values.cell({row}, column);
            is_used[row] != 0 && !is_missing(cell) && !common_types::of(cell).has(type))
            return cell;
    return std::nullopt;
}

} // namespace

std::vector<std::string> names_of(const value_rows& rows) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < rows.columns(); ++i)
        names.emplace_back(rows.name(i));
    return names;
}

void decide_types(both_tables& tables, std::span<const std::optional<column_type>> declared,
                  bool has_unused_rows) {
    const auto common_in = [&](const auto& table) {
        return table.values.common(has_unused_rows ? used_rows(table) : std::vector<char>());
    };
    std::vector<common_types> common = common_in(tables.ipv4);
    const std::vector<common_types> of_ipv6 = common_in(tables.ipv6);
    for (std::size_t i = 0; i < tables.ipv4.values.columns(); ++i) {
        const std::optional<column_type> known = i < declared.size() ? declared[i] : std::nullopt;
        common[i] &= of_ipv6[i];
        set_type(tables, i, known ? widened(*known, common[i]) : common[i].narrowest());
    }
}

void join_types(const value_rows& from, std::span<const std::string_view> names,
                std::vector<std::optional<column_type>>& types) {
    for (std::size_t i = 0; i < from.columns(); ++i) {
        const auto match = std::find(names.begin(), names.end(), from.name(i));
        if (match == names.end() || !from.has_cells(i))
            continue;
        auto& type = types[static_cast<std::size_t>(match - names.begin())];
        type = type ? joined(*type, from.type(i)) : from.type(i);
    }
}

void equalize_types(both_tables& tables) {
    const value_rows& four = tables.ipv4.values;
    const value_rows& six = tables.ipv6.values;
    for (std::size_t i = 0; i < four.columns(); ++i)
        if (four.type(i) != six.type(i))
            set_type(tables, i,
                     !four.has_cells(i)  ? six.type(i)
                     : !six.has_cells(i) ? four.type(i)
                                         : joined(four.type(i), six.type(i)));
}

std::string fix_types(both_tables& tables, std::span<const typed_column> types) {
    const std::vector<std::string> names = names_of(tables.ipv4.values);
    std::vector<std::size_t> places;
    for (const typed_column& column_of_user : types) {
        const auto column = find_column(names, column_of_user.name);
        if (!column)
            return no_such_column(names, column_of_user.name);
        if (std::find(places.begin(), places.end(), *column) != places.end())
            return named_twice(column_of_user.name);
        places.push_back(*column);
        auto text = misfit(tables.ipv4, *column, column_of_user.type);
        if (!text)
            text = misfit(tables.ipv6, *column, column_of_user.type);
        if (text)
            return "the column " + io::quoted(column_of_user.name) + " has " + io::quoted(*text) +
                   ", which is not of the type " + std::string(name_of(column_of_user.type));
    }
    for (std::size_t i = 0; i < types.size(); ++i)
        set_type(tables, places[i], types[i].type);
    return {};
}

} // namespace fingerpost::io
