// Selects columns by name, and counts the routes that were left out.
#include "io/format/parts/fixed/fixed_columns.hpp"

#include <utility>
#include <vector>

namespace fingerpost::io {

expected<fixed_columns, std::string> fixed_columns::make(table_options options, const fixed_names& names) {
    const std::vector<std::string> all(names.all.begin(), names.all.end());
    for (const std::string& name : options.network)
        if (!is_network_name(name))
            return unexpected{no_such_column(all, name)};
    value_columns kept;
    std::vector<std::string> wanted = options.values;
    if (wanted.empty())
        wanted.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(names.usual));
    const auto chosen = kept.choose(all, std::nullopt, wanted);
    if (!chosen)
        return unexpected{chosen.error()};
    return fixed_columns(options, std::move(kept), views(*chosen));
}

fixed_columns::fixed_columns(const table_options& options, value_columns kept,
                             std::span<const std::string_view> names)
    : taker_(options), kept_(std::move(kept)) {
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
