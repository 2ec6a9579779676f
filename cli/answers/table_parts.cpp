// Finds the columns of each table by their names in the overlay.
#include "cli/answers/table_parts.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace fingerpost::cli {

std::string_view table_part::prefix_in(const row& route) const noexcept {
    return route.values == nullptr ? std::string_view() : route.values->cell(route.number, prefix_column_);
}

void table_part::narrow(row& answer) const noexcept {
    const std::string_view prefix = prefix_in(answer);
    answer.prefix = prefix;
    if (prefix.empty())
        answer.values = nullptr;
    else
        answer.values = answer.values == whole_ipv4_ ? &*ipv4_ : &*ipv6_;
}

std::vector<table_part> table_part::cut(const answer_table& whole, std::span<const std::string> tables,
                                        const answer_names& names) {
    const std::vector<std::string> columns = whole.columns();
    std::vector<table_part> parts;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < tables.size(); ++i) {
        const auto behind = columns.begin() + static_cast<std::ptrdiff_t>(begin) + 1;
        const auto next = i + 1 == tables.size()
                              ? columns.end()
                              : std::find(behind, columns.end(), tables[i + 1] + "_prefix");
        const auto end = static_cast<std::size_t>(next - columns.begin());
        table_part& part = parts.emplace_back();
        part.name_ = tables[i];
        part.prefix_column_ = begin;
        part.names_ = {names.address, names.prefix, names.error, {}};
        for (std::size_t column = begin + 1; column < end; ++column) {
            const bool is_renamed = names.columns[column] != columns[column];
            part.names_.columns.push_back(is_renamed ? names.columns[column]
                                                     : columns[column].substr(tables[i].size() + 1));
        }
        // Without their table's name, columns may have the names of the command's own columns.
        std::vector<std::string> reserved{names.address, names.prefix, names.error};
        reserved.insert(reserved.end(), part.names_.columns.begin(), part.names_.columns.end());
        if (find_equal(reserved))
            part.names_.columns.assign(names.columns.begin() + static_cast<std::ptrdiff_t>(begin) + 1,
                                       names.columns.begin() + static_cast<std::ptrdiff_t>(end));
        if (whole.ipv4() != nullptr) {
            part.whole_ipv4_ = &whole.ipv4()->values();
            part.ipv4_.emplace(*part.whole_ipv4_, begin + 1, end - begin - 1);
        }
        if (whole.ipv6() != nullptr)
            part.ipv6_.emplace(whole.ipv6()->values(), begin + 1, end - begin - 1);
        begin = end;
    }
    return parts;
}

} // namespace fingerpost::cli
