// Sums up the counts of threads, and writes them.
#include "cli/enrich/select/answer_counts.hpp"

#include <algorithm>
#include <fmt/format.h>
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
            to[is_missing(value) ? std::nullopt : std::optional<std::string>(value)] += counts[route];
        }
}

using counted_value = std::pair<std::string_view, std::uint64_t>;

std::vector<counted_value> sorted(const value_counts& counts, std::uint64_t top) {
    std::vector<counted_value> made;
    for (const auto& [value, count] : counts)
        made.emplace_back(value ? std::string_view(*value) : missing_cell, count);
    std::stable_sort(made.begin(), made.end(),
                     [](const counted_value& a, const counted_value& b) { return a.second > b.second; });
    if (top != 0 && top < made.size())
        made.resize(top);
    return made;
}

std::string text_of(const std::vector<counted_value>& rows, const std::string& name, double all) {
    columns table({{"count", true}, {"share", true}, {name}});
    for (const auto& [value, count] : rows)
        table.add({std::to_string(count), fmt::format("{:.2f} %", 100 * static_cast<double>(count) / all),
                   value.empty() ? "-" : std::string(value)});
    return table.text();
}

std::string cells_of(const std::vector<counted_value>& rows, cell_style style, const std::string& name,
                     double all) {
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
        put_row(value, std::to_string(count), fmt::format("{:.6f}", static_cast<double>(count) / all));
    return out;
}

std::string objects_of(const std::vector<counted_value>& rows, const std::string& name, column_type type,
                       double all) {
    std::string out;
    for (const auto& [value, count] : rows) {
        const std::size_t begin = out.size();
        put_json_cell(name, value, type, out);
        out[begin] = '{';
        out += fmt::format(",\"count\":{},\"share\":{:.6f}}}\n", count, static_cast<double>(count) / all);
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
        to[std::nullopt] += misses_;
    std::apply(
        [&](const auto&... families) {
            const auto add = [&](const auto& counted) {
                for (const auto& [address, count] : counted)
                    to[to_string(address)] += count;
            };
            (add(families), ...);
        },
        addresses_);
}

std::string write_counts(const value_counts& counts, row_kind kind, const std::string& name, column_type type,
                         std::uint64_t top) {
    double all = 0;
    for (const auto& [value, count] : counts)
        all += static_cast<double>(count);
    const std::vector<counted_value> rows = sorted(counts, top);
    switch (kind) {
    case row_kind::csv:
        return cells_of(rows, cell_style::csv, name, all);
    case row_kind::tsv:
        return cells_of(rows, cell_style::tsv, name, all);
    case row_kind::ndjson:
    case row_kind::json:
        return objects_of(rows, name, type, all);
    case row_kind::columns:
    case row_kind::lines:
    case row_kind::log:
        break;
    }
    return text_of(rows, name, all);
}

} // namespace fingerpost::cli::enrich
