// Combines the counts of threads and writes them.
#include "cli/enrich/select/answer_counts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <string_view>
#include <utility>

#include "cli/enrich/rows/cells.hpp"
#include "terminal/columns.hpp"

namespace fingerpost::cli::enrich {
namespace {

template <class A>
void sum_routes(const std::vector<std::uint64_t>& counts, const family_table<A>* table,
                const column_number& column, value_counts& to) {
    value_buffer<A> shown;
    for (std::size_t route = 0; route < counts.size(); ++route)
        if (counts[route] != 0) {
            const auto value = route_value(*table, column, {static_cast<std::uint32_t>(route)}, shown);
            to.values[is_missing(value) ? std::nullopt : std::optional<std::string>(value)] += counts[route];
        }
}

using counted_value = std::pair<std::optional<std::string>, std::uint64_t>;

std::string_view text_of(const std::optional<std::string>& value) {
    return value ? std::string_view(*value) : missing_cell;
}

// Adds the most frequent addresses of a family, at most `limit`, so that only these are formatted.
template <class A>
void add_most(const address_counts<A>& counts, std::size_t limit, std::vector<counted_value>& to) {
    std::vector<typename address_counts<A>::counted> addresses(counts.counts().begin(),
                                                               counts.counts().end());
    limit = std::min(limit, addresses.size());
    std::partial_sort(addresses.begin(), addresses.begin() + static_cast<std::ptrdiff_t>(limit),
                      addresses.end(), [](const auto& a, const auto& b) {
                          return a.second != b.second ? a.second > b.second : a.first < b.first;
                      });
    for (std::size_t i = 0; i < limit; ++i)
        to.emplace_back(to_string(addresses[i].first), addresses[i].second);
}

std::vector<counted_value> sorted(const value_counts& counts, std::uint64_t limit) {
    const std::size_t most = limit == 0 ? std::numeric_limits<std::size_t>::max() : limit;
    std::vector<counted_value> rows(counts.values.begin(), counts.values.end());
    add_most(counts.ipv4, most, rows);
    add_most(counts.ipv6, most, rows);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const counted_value& a, const counted_value& b) { return a.second > b.second; });
    rows.resize(std::min(most, rows.size()));
    return rows;
}

double sum_of(const value_counts& counts) {
    double sum = 0;
    for (const auto& [value, count] : counts.values)
        sum += static_cast<double>(count);
    for (const auto& [address, count] : counts.ipv4.counts())
        sum += static_cast<double>(count);
    for (const auto& [address, count] : counts.ipv6.counts())
        sum += static_cast<double>(count);
    return sum;
}

std::string table_of(const std::vector<counted_value>& rows, const std::string& name, double sum) {
    columns table({{"count", true}, {"share", true}, {name}});
    for (const auto& [value, count] : rows)
        table.add({std::to_string(count), fmt::format("{:.2f} %", 100 * static_cast<double>(count) / sum),
                   value.value_or("").empty() ? "-" : *value});
    return table.text();
}

std::string cells_of(const std::vector<counted_value>& rows, cell_style style, const std::string& name,
                     double sum) {
    std::string out;
    const auto put_row = [&](std::string_view value, const std::string& count, const std::string& share) {
        const std::size_t begin = out.size();
        put_cell(style, {}, value, out);
        out.erase(begin, 1);
        put_cell(style, {}, count, out);
        put_cell(style, {}, share, out);
        out += '\n';
    };
    put_row(name, "count", "share");
    for (const auto& [value, count] : rows)
        put_row(text_of(value), std::to_string(count),
                fmt::format("{:.6f}", static_cast<double>(count) / sum));
    return out;
}

std::string objects_of(const std::vector<counted_value>& rows, const std::string& name, column_type type,
                       double sum) {
    std::string out;
    for (const auto& [value, count] : rows) {
        const std::size_t begin = out.size();
        put_json_cell(name, text_of(value), type, out);
        out[begin] = '{';
        out += fmt::format(",\"count\":{},\"share\":{:.6f}}}\n", count, static_cast<double>(count) / sum);
    }
    return out;
}

} // namespace

void answer_counts::sum(std::span<const answer_table* const> tables, std::span<const column_number> columns,
                        value_counts& to) const {
    for (std::size_t i = 0; i < tables.size(); ++i) {
        sum_routes(ipv4_[i], tables[i]->ipv4(), columns[i], to);
        sum_routes(ipv6_[i], tables[i]->ipv6(), columns[i], to);
    }
    if (misses_ != 0)
        to.values[std::nullopt] += misses_;
    addresses_.ipv4.add_to(to.ipv4);
    addresses_.ipv6.add_to(to.ipv6);
}

std::string write_counts(const value_counts& counts, row_kind kind, const std::string& name, column_type type,
                         std::uint64_t limit) {
    const double sum = sum_of(counts);
    const std::vector<counted_value> rows = sorted(counts, limit);
    switch (kind) {
    case row_kind::csv:
        return cells_of(rows, cell_style::csv, name, sum);
    case row_kind::tsv:
        return cells_of(rows, cell_style::tsv, name, sum);
    case row_kind::ndjson:
    case row_kind::json:
        return objects_of(rows, name, type, sum);
    case row_kind::columns:
    case row_kind::lines:
    case row_kind::log:
        break;
    }
    return table_of(rows, name, sum);
}

} // namespace fingerpost::cli::enrich
