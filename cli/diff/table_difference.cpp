// Finds the columns that two tables have in common.
#include "cli/diff/table_difference.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <utility>

#include "io/format/parts/printable.hpp"

namespace fingerpost::cli {
namespace {

bool has_routes(const io::both_tables& tables) {
    return !tables.ipv4.routes.empty() || !tables.ipv6.routes.empty();
}

std::vector<std::string> names_of(const io::both_tables& tables) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < tables.ipv4.values.columns(); ++i)
        names.emplace_back(tables.ipv4.values.name(i));
    return names;
}

std::string listed(const std::vector<std::string>& names) {
    return io::printable(fmt::format("{}", fmt::join(names, ", ")));
}

std::vector<std::size_t> first_numbers(std::size_t count) {
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
}

} // namespace

expected<common_columns, std::string> columns_of_both(const io::both_tables& before,
                                                      const io::both_tables& after) {
    std::vector<std::string> names = names_of(before);
    const std::vector<std::string> others = names_of(after);
    const auto in_order = [](std::vector<std::string> all) {
        const auto numbers = first_numbers(all.size());
        return common_columns{std::move(all), numbers, numbers};
    };
    if (!has_routes(before))
        return in_order(others);
    if (!has_routes(after) || (names.size() == 1 && others.size() == 1))
        return in_order(std::move(names));
    std::vector<std::size_t> places;
    for (const std::string& name : names) {
        const auto found = std::find(others.begin(), others.end(), name);
        if (found != others.end())
            places.push_back(static_cast<std::size_t>(found - others.begin()));
    }
    if (places.size() != names.size() || names.size() != others.size())
        return unexpected{fmt::format("the tables have different columns, {} and {}; name those to compare "
                                      "with --value",
                                      listed(names), listed(others))};
    const auto own = first_numbers(names.size());
    return common_columns{std::move(names), own, std::move(places)};
}

} // namespace fingerpost::cli
