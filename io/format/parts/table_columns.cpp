// The usual names of columns of prefixes, and the search for columns by name.
#include "io/format/parts/table_columns.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "io/format/parts/input_error.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

// In the order of the search.
constexpr std::array<std::string_view, 10> network_names{
    "network", "prefix", "cidr", "subnet", "ip_prefix", "ip_network", "net", "ip_range", "route", "dst"};

struct range_names {
    std::string_view first;
    std::string_view last;
};
constexpr std::array<range_names, 14> ranges{{{"start_ip", "end_ip"},
                                              {"ip_from", "ip_to"},
                                              {"ip_start", "ip_end"},
                                              {"range_start", "range_end"},
                                              {"ip_range_start", "ip_range_end"},
                                              {"first_ip", "last_ip"},
                                              {"network_start_ip", "network_last_ip"},
                                              {"start_address", "end_address"},
                                              {"first_address", "last_address"},
                                              {"start_ip_address", "end_ip_address"},
                                              {"network_start", "network_end"},
                                              {"start", "end"},
                                              {"first", "last"},
                                              {"from", "to"}}};

std::optional<std::size_t> find_plain(std::span<const std::string> names, std::string_view plain) {
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const std::string& name) { return plain_name(name) == plain; });
    if (found == names.end())
        return std::nullopt;
    return static_cast<std::size_t>(found - names.begin());
}

} // namespace

std::string plain_name(std::string_view name) {
    std::string plain(trimmed(name));
    for (char& c : plain) {
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
        if (c == ' ' || c == '-' || c == '.')
            c = '_';
    }
    return plain;
}

bool is_network_name(std::string_view name) {
    return std::find(network_names.begin(), network_names.end(), plain_name(name)) != network_names.end();
}

std::optional<std::size_t> find_column(std::span<const std::string> names, std::string_view wanted) {
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found != names.end())
        return static_cast<std::size_t>(found - names.begin());
    return find_plain(names, plain_name(wanted));
}

std::string no_such_column(std::span<const std::string> names, std::string_view wanted) {
    std::string words = quoted(wanted) + " is none of the columns ";
    for (std::size_t i = 0; i < names.size(); ++i)
        words += (i == 0 ? "" : ", ") + names[i];
    return words;
}

std::string named_twice(std::string_view wanted) {
    return "the column " + quoted(wanted) + " is named twice";
}

expected<std::optional<network_columns>, std::string> find_network(std::span<const std::string> names,
                                                                   std::span<const std::string> wanted) {
    if (wanted.size() > 2)
        return unexpected{std::string("networks are in one column, ranges in two, and ") +
                          std::to_string(wanted.size()) + " are named"};
    if (!wanted.empty()) {
        network_columns found;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const auto column = find_column(names, wanted[i]);
            if (!column)
                return unexpected{no_such_column(names, wanted[i])};
            if (i == 0)
                found.first = *column;
            else
                found.last = column;
        }
        return std::optional(found);
    }
    for (const std::string_view name : network_names)
        if (const auto column = find_plain(names, name))
            return std::optional(network_columns{*column});
    for (const range_names& name : ranges) {
        const auto first = find_plain(names, name.first);
        const auto last = find_plain(names, name.last);
        if (first && last)
            return std::optional(network_columns{*first, last});
    }
    return std::optional<network_columns>();
}

expected<std::vector<std::size_t>, std::string> find_values(std::span<const std::string> names,
                                                            const std::optional<network_columns>& network,
                                                            std::span<const std::string> wanted) {
    std::vector<std::size_t> kept;
    for (const std::string& name : wanted) {
        const auto column = find_column(names, name);
        if (!column)
            return unexpected{no_such_column(names, name)};
        if (std::find(kept.begin(), kept.end(), *column) != kept.end())
            return unexpected{named_twice(name)};
        kept.push_back(*column);
    }
    for (std::size_t i = 0; i < names.size() && wanted.empty(); ++i)
        if (!network || (i != network->first && i != network->last))
            kept.push_back(i);
    return kept;
}

void name_all(std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i].empty())
            names[i] = "column" + std::to_string(i + 1);
        const std::string base = names[i];
        const auto end = names.begin() + static_cast<std::ptrdiff_t>(i);
        for (unsigned copy = 2; std::find(names.begin(), end, names[i]) != end; ++copy)
            names[i] = base + "_" + std::to_string(copy);
    }
}

expected<std::vector<std::string>, std::string>
value_columns::choose(std::span<const std::string> names, const std::optional<network_columns>& network,
                      std::span<const std::string> wanted) {
    auto found = find_values(names, network, wanted);
    if (!found)
        return unexpected{std::move(found.error())};
    kept_ = std::move(*found);
    cells_.assign(std::max<std::size_t>(kept_.size(), 1), std::string_view());
    std::vector<std::string> kept_names;
    for (const std::size_t column : kept_)
        kept_names.push_back(names[column]);
    if (kept_names.empty())
        kept_names.emplace_back("next_hop");
    return kept_names;
}

expected<std::vector<std::string>, std::string> value_columns::choose_of(std::span<const std::string> names,
                                                                         const table_options& options) {
    for (const std::string& name : options.network)
        if (!is_network_name(name))
            return unexpected{no_such_column(names, name)};
    return choose(names, std::nullopt, options.values);
}

std::span<const std::string_view> value_columns::of(std::span<const std::string_view> row) {
    for (std::size_t i = 0; i < kept_.size(); ++i)
        cells_[i] = row[kept_[i]];
    return cells_;
}

} // namespace fingerpost::io
