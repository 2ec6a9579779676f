// Decides whether the first row is a header: headers have no prefixes, and no addresses at the start.
#include "io/format/csv/csv_start.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "fingerpost/net/text.hpp"
#include "io/format/csv/csv_row.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

bool is_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_address(std::string_view text) {
    return parse_address(text).has_value();
}

bool is_range(std::string_view text) {
    const std::size_t dash = std::min(text.find('-'), text.size());
    return is_address(trimmed(text.substr(0, dash))) && dash < text.size() &&
           is_address(trimmed(text.substr(dash + 1)));
}

bool is_network(std::string_view text) {
    return is_prefix_with_length(text) || is_range(text);
}

// Returns the network columns if the first cell is an address, or the number of one.
std::optional<network_columns> network_in_front(std::span<const std::string_view> row) {
    const std::string_view first = trimmed(row[0]);
    const std::string_view second = row.size() < 2 ? std::string_view() : trimmed(row[1]);
    if (is_digits(first) && is_digits(second))
        return network_columns{.first = 0, .last = 1};
    if (!is_address(first))
        return std::nullopt;
    if (is_mask_beside(first, second))
        return network_columns{.first = 0, .length = 1};
    if (is_address(second))
        return network_columns{.first = 0, .last = 1};
    if (length_beside(first, second) && (row.size() > 2 || second.starts_with('/')))
        return network_columns{.first = 0, .length = 1};
    return network_columns{};
}

bool names_columns_by_number(std::span<const std::string_view> row, std::span<const std::string> user_names) {
    constexpr std::string_view start = "column";
    const auto is_data = [&](const std::string& name) {
        std::size_t number = 0;
        const char* const end = name.data() + name.size();
        if (!name.starts_with(start))
            return false;
        const auto read = std::from_chars(name.data() + start.size(), end, number);
        if (read.ec != std::errc() || read.ptr != end || number == 0 || number > row.size())
            return false;
        const std::string_view cell = trimmed(row[number - 1]);
        return is_network(cell) || is_address(cell) || is_digits(cell) || length_beside("::", cell);
    };
    return !user_names.empty() && std::all_of(user_names.begin(), user_names.end(), is_data);
}

// Returns nothing if there is no separator outside quotes.
std::optional<char> most_frequent(std::string_view row) noexcept {
    constexpr std::array<char, 4> separators{',', '\t', ';', '|'};
    std::array<std::size_t, 4> counts{};
    bool quoted = false;
    for (const char c : row) {
        quoted = quoted != (c == '"');
        for (std::size_t i = 0; i < separators.size() && !quoted; ++i)
            counts[i] += c == separators[i] ? 1 : 0;
    }
    const auto most = std::max_element(counts.begin(), counts.end());
    if (*most == 0)
        return std::nullopt;
    return separators[static_cast<std::size_t>(most - counts.begin())];
}

} // namespace

char csv_separator(std::string_view row) noexcept {
    return most_frequent(row).value_or(',');
}

char table_separator(std::string_view row) {
    if (const auto separator = most_frequent(row))
        return *separator;
    csv_row words;
    return !is_network_name(row) && words.cut(row, ' ') && words.fields().size() > 1 ? ' ' : ',';
}

std::optional<std::vector<std::string>> names_in_comment(std::string_view line) {
    for (const std::string_view start : {"#fields\t", "#Fields:"})
        if (line.starts_with(start)) {
            csv_row names;
            const std::string_view list = trimmed(line.substr(start.size()));
            if (list.empty() || !names.cut(list, start.back() == '\t' ? '\t' : ' '))
                return std::nullopt;
            return std::vector<std::string>(names.fields().begin(), names.fields().end());
        }
    return std::nullopt;
}

std::optional<network_columns> unnamed_network(std::span<const std::string_view> row,
                                               std::span<const std::string> user_names) {
    if (row.empty())
        return std::nullopt;
    if (names_columns_by_number(row, user_names)) {
        std::vector<std::string> names(row.size());
        name_all(names);
        auto network = find_network(names, user_names, row);
        const std::size_t next = !network ? row.size() : (*network)->first + 1;
        // Without their masks, the networks would be single addresses.
        if (user_names.size() == 1 && next < row.size() &&
            is_mask_beside(trimmed(row[next - 1]), trimmed(row[next])))
            (*network)->length = next;
        return network ? *network : std::nullopt;
    }
    if (!user_names.empty())
        return std::nullopt;
    if (const auto network = network_in_front(row))
        return network;
    if (is_network(trimmed(row[0])))
        return network_columns{};
    // A column of a header may be named 10.0.0.0/8.
    const std::vector<std::string> names(row.begin(), row.end());
    if (const auto named = find_network(names, {}); named && *named)
        return std::nullopt;
    for (std::size_t i = 1; i < row.size(); ++i)
        if (is_network(trimmed(row[i])))
            return network_columns{.first = i};
    for (std::size_t i = 1; i + 1 < row.size(); ++i)
        if (is_mask_beside(trimmed(row[i]), trimmed(row[i + 1])))
            return network_columns{.first = i, .length = i + 1};
    return std::nullopt;
}

} // namespace fingerpost::io
