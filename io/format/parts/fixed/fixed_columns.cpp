// Selects columns by name, and counts the routes that were left out.
#include "io/format/parts/fixed/fixed_columns.hpp"

#include <utility>
#include <vector>

namespace fingerpost::io {

expected<fixed_columns, std::string> fixed_columns::make(table_options options, const fixed_names& names) {
    const std::vector<std::string> columns(names.columns.begin(), names.columns.end());
    for (const std::string& name : options.network)
        if (!is_network_name(name))
            return unexpected{no_such_column(columns, name)};
    value_columns selection;
    std::vector<std::string> values = options.values;
    if (values.empty())
        values.assign(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(names.usual));
    const auto selected = selection.choose(columns, std::nullopt, values);
    if (!selected)
        return unexpected{selected.error()};
    return fixed_columns(options, std::move(selection), views(*selected));
}

fixed_columns::fixed_columns(const table_options& options, value_columns selection,
                             std::span<const std::string_view> names)
    : taker_(options), selection_(std::move(selection)) {
    taker_.builder().set_columns(names);
}

both_tables fixed_columns::finish_both(std::uint64_t lines, std::uint64_t bad, std::uint64_t left_out) && {
    taker_.builder().count(bad, not_chosen_, left_out);
    return std::move(taker_).finish_both(lines);
}

one_table fixed_columns::finish(std::uint64_t lines, std::uint64_t bad, std::uint64_t left_out) && {
    taker_.builder().count(bad, not_chosen_, left_out);
    return std::move(taker_).finish(lines);
}

} // namespace fingerpost::io
