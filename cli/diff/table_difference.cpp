// Finds the columns that two tables have in common.
#include "cli/diff/table_difference.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <optional>
#include <utility>

#include "io/format/parts/printable.hpp"
#include "io/format/parts/table_types.hpp"

namespace fingerpost::cli {
namespace {

bool has_routes(const io::both_tables& tables) {
    return !tables.ipv4.routes.empty() || !tables.ipv6.routes.empty();
}

std::string listed(const std::vector<std::string>& names) {
    return io::printable(fmt::format("{}", fmt::join(names, ", ")));
}

std::vector<std::size_t> first_numbers(std::size_t count) {
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
}

expected<common_columns, std::string> find_columns(const io::both_tables& before,
                                                   const io::both_tables& after) {
    std::vector<std::string> names = io::names_of(before.ipv4.values);
    const std::vector<std::string> others = io::names_of(after.ipv4.values);
    const auto in_order = [](std::vector<std::string> names) {
        const auto numbers = first_numbers(names.size());
        return common_columns{std::move(names), numbers, numbers};
    };
    if (!has_routes(before))
        return in_order(others);
    if (!has_routes(after) || (names.size() == 1 && others.size() == 1))
        return in_order(std::move(names));
    std::vector<std::size_t> places;
    for (const std::string& name : names) {
        const auto match = std::find(others.begin(), others.end(), name);
        if (match != others.end())
            places.push_back(static_cast<std::size_t>(match - others.begin()));
    }
    if (places.size() != names.size() || names.size() != others.size())
        return unexpected{fmt::format("the tables have different columns, {} and {}; name those to compare "
                                      "with --columns",
                                      listed(names), listed(others))};
    const auto own = first_numbers(names.size());
    return common_columns{std::move(names), own, std::move(places)};
}

} // namespace

expected<common_columns, std::string> columns_of_both(const io::both_tables& before,
                                                      const io::both_tables& after) {
    auto columns = find_columns(before, after);
    for (std::size_t i = 0; columns && i < columns->names.size(); ++i) {
        const auto type_in = [i](const io::both_tables& tables, const std::vector<std::size_t>& places) {
            return has_routes(tables) ? std::optional(tables.ipv4.values.type(places[i])) : std::nullopt;
        };
        const auto old_type = type_in(before, columns->before);
        const auto new_type = type_in(after, columns->after);
        columns->types.push_back(old_type && new_type
                                     ? joined(*old_type, *new_type)
                                     : old_type.value_or(new_type.value_or(column_type::text)));
    }
    return columns;
}

} // namespace fingerpost::cli
