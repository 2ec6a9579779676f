// Recognises the usual names of prefix columns, and finds columns by name.
#include "io/format/parts/table_columns.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "io/format/parts/input_error.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

// In search order.
constexpr std::array<std::string_view, 10> network_names{
    "network", "prefix", "cidr", "subnet", "ip_prefix", "ip_network", "net", "ip_range", "route", "dst"};

// Names of network columns whose lengths are in another column.
constexpr std::array<std::string_view, 7> address_names{
    "address", "ip", "ip_address", "network_address", "subnet_address", "base_address", "destination"};
constexpr std::array<std::string_view, 13> length_names{
    "mask",    "netmask",    "net_mask",  "network_mask",  "subnet_mask", "genmask",      "mask_len",
    "masklen", "prefix_len", "prefixlen", "prefix_length", "wildcard",    "wildcard_mask"};
// Columns with these names may also have other lengths.
constexpr std::array<std::string_view, 2> vague_length_names{"length", "bits"};

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

std::optional<std::size_t> find_plain(std::span<const std::string> names,
                                      std::string_view wanted_plain_name) {
    const auto match = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
        return plain_name(name) == wanted_plain_name;
    });
    if (match == names.end())
        return std::nullopt;
    return static_cast<std::size_t>(match - names.begin());
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

bool is_length_name(std::string_view name) {
    return std::find(length_names.begin(), length_names.end(), plain_name(name)) != length_names.end();
}

std::optional<std::size_t> find_column(std::span<const std::string> names, std::string_view name) {
    const auto match = std::find(names.begin(), names.end(), name);
    if (match != names.end())
        return static_cast<std::size_t>(match - names.begin());
    return find_plain(names, plain_name(name));
}

std::string no_such_column(std::span<const std::string> names, std::string_view name) {
    std::string text = "no column " + quoted(name) + "; columns: ";
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    return text;
}

std::string named_twice(std::string_view name) {
    return "the column " + quoted(name) + " is named twice";
}

void find_length(std::span<const std::string> names, network_columns& network) {
    for (std::size_t i = 0; i < names.size() && !network.length; ++i)
        if (i != network.first && is_length_name(names[i])) {
            network.length = i;
            network.rule.is_wildcard = plain_name(names[i]).starts_with("wildcard");
        }
}

namespace {

bool is_whole_network(std::string_view text) {
    return parse_prefix(text) || text.find('-') != std::string_view::npos;
}

// Whether the second of two columns that the user named has lengths, not the last addresses of ranges.
bool is_length_column(std::string_view first, std::string_view second) {
    return is_mask_beside(first, second) ||
           (second.find_first_of(".:") == std::string_view::npos && length_beside(first, second));
}

// Finds the column by name. A column with a vague name, or one that could have networks, is chosen only if
// the row has a length there.
void choose_length(std::span<const std::string> names, std::span<const std::string_view> row,
                   bool is_network_column, network_columns& network) {
    find_length(names, network);
    const std::string_view first = row.empty() ? std::string_view() : trimmed(row[network.first]);
    network.rule.is_value = network.length && (row.empty() || has_own_length(first));
    if (network.length || !is_network_column || row.empty() || has_own_length(first))
        return;
    const auto is_vague = [](const std::string& name) {
        const std::string plain = plain_name(name);
        return std::find(vague_length_names.begin(), vague_length_names.end(), plain) !=
                   vague_length_names.end() ||
               is_network_name(plain);
    };
    for (std::size_t i = 0; i < names.size() && !network.length; ++i)
        if (i != network.first && is_vague(names[i]) && length_beside(first, trimmed(row[i])))
            network.length = i;
}

// Returns the first network column with a length in the row, or else the first with an address.
std::optional<std::size_t> find_network_column(std::span<const std::string> names,
                                               std::span<const std::string_view> row) {
    std::optional<std::size_t> best;
    unsigned best_rank = 0;
    for (const std::string_view name : network_names) {
        const auto column = find_plain(names, name);
        if (!column)
            continue;
        const std::string_view cell = row.empty() ? std::string_view() : trimmed(row[*column]);
        const unsigned rank = !detect_family(cell)                             ? 1
                              : has_own_length(cell) && is_whole_network(cell) ? 3
                                                                               : 2;
        if (rank > best_rank) {
            best = column;
            best_rank = rank;
        }
    }
    return best;
}

std::optional<network_columns> find_usual(std::span<const std::string> names,
                                          std::span<const std::string_view> row) {
    if (const auto column = find_network_column(names, row)) {
        network_columns columns{.first = *column};
        choose_length(names, row, true, columns);
        return columns;
    }
    for (const range_names& name : ranges) {
        const auto first = find_plain(names, name.first);
        const auto last = find_plain(names, name.last);
        if (first && last)
            return network_columns{.first = *first, .last = last};
    }
    for (const std::string_view name : address_names)
        if (const auto column = find_plain(names, name)) {
            network_columns columns{.first = *column};
            choose_length(names, row, false, columns);
            if (columns.length)
                return columns;
        }
    return std::nullopt;
}

} // namespace

expected<std::optional<network_columns>, std::string> find_network(std::span<const std::string> names,
                                                                   std::span<const std::string> user_names,
                                                                   std::span<const std::string_view> row) {
    if (user_names.size() > 2)
        return unexpected{std::string("expected one column of networks or two columns of ranges, found ") +
                          std::to_string(user_names.size()) + ""};
    if (user_names.empty())
        return find_usual(names, row);
    network_columns columns;
    for (std::size_t i = 0; i < user_names.size(); ++i) {
        const auto column = find_column(names, user_names[i]);
        if (!column)
            return unexpected{no_such_column(names, user_names[i])};
        (i == 0 ? columns.first : columns.last.emplace()) = *column;
    }
    if (columns.last && !row.empty() &&
        is_length_column(trimmed(row[columns.first]), trimmed(row[*columns.last])))
        columns.length = std::exchange(columns.last, std::nullopt);
    if (user_names.size() == 1)
        choose_length(names, row, false, columns);
    return std::optional(columns);
}

expected<std::vector<std::size_t>, std::string> find_values(std::span<const std::string> names,
                                                            const std::optional<network_columns>& network,
                                                            std::span<const std::string> user_names) {
    std::vector<std::size_t> columns;
    for (const std::string& name : user_names) {
        const auto column = find_column(names, name);
        if (!column)
            return unexpected{no_such_column(names, name)};
        if (std::find(columns.begin(), columns.end(), *column) != columns.end())
            return unexpected{named_twice(name)};
        columns.push_back(*column);
    }
    for (std::size_t i = 0; i < names.size() && user_names.empty(); ++i)
        if (!network || !network->has(i))
            columns.push_back(i);
    return columns;
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
                      std::span<const std::string> user_names) {
    auto columns = find_values(names, network, user_names);
    if (!columns)
        return unexpected{std::move(columns.error())};
    columns_ = std::move(*columns);
    cells_.assign(std::max<std::size_t>(columns_.size(), 1), std::string_view());
    std::vector<std::string> column_names;
    for (const std::size_t column : columns_)
        column_names.push_back(names[column]);
    if (column_names.empty())
        column_names.emplace_back("next_hop");
    return column_names;
}

expected<std::vector<std::string>, std::string> value_columns::choose_of(std::span<const std::string> names,
                                                                         const table_options& options) {
    for (const std::string& name : options.network)
        if (!is_network_name(name))
            return unexpected{no_such_column(names, name)};
    return choose(names, std::nullopt, options.values);
}

std::span<const std::string_view> value_columns::of(std::span<const std::string_view> row) {
    for (std::size_t i = 0; i < columns_.size(); ++i)
        cells_[i] = row[columns_[i]];
    return cells_;
}

} // namespace fingerpost::io
