// Sorts entries by prefix, and joins the texts of entries with the same prefix.
#include "io/format/parts/joined_routes.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "io/format/parts/listed.hpp"

namespace fingerpost::io {
namespace {

// Compares by value if both are decimal numbers.
bool comes_before(std::string_view a, std::string_view b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

} // namespace

template <class A>
void joined_routes<A>::join_sets(std::span<const entry> group, std::vector<std::string>& cells) const {
    std::unordered_set<std::string_view> texts;
    for (std::size_t column = 0; column < cells.size(); ++column) {
        texts.clear();
        for (const entry& item : group) {
            const std::string_view text = rows_.cell(item.row, column);
            if (!text.empty() && texts.insert(text).second)
                append_listed(cells[column], text);
        }
    }
}

template <class A>
void joined_routes<A>::join_lists(std::span<const entry> group, std::vector<std::string>& cells) const {
    std::vector<next_hop> rows;
    for (const entry& item : group)
        rows.push_back(item.row);
    std::sort(rows.begin(), rows.end(), [&](next_hop a, next_hop b) {
        for (std::size_t column = 0; column < cells.size(); ++column)
            if (rows_.cell(a, column) != rows_.cell(b, column))
                return comes_before(rows_.cell(a, column), rows_.cell(b, column));
        return false;
    });
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (std::size_t column = 0; column < cells.size(); ++column)
        for (std::size_t i = 0; i < rows.size(); ++i)
            cells[column].append(i == 0 ? "" : ",").append(rows_.cell(rows[i], column));
}

template <class A>
void joined_routes<A>::add_to(table_builder& builder, joining how) {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const entry& a, const entry& b) { return a.where < b.where; });
    std::vector<std::string> cells(rows_.columns());
    const std::span<const entry> entries(entries_);
    for (std::size_t start = 0; start < entries.size();) {
        std::size_t end = start;
        bool masked = false;
        for (; end < entries.size() && entries[end].where == entries[start].where; ++end)
            masked = masked || entries[end].masked;
        for (std::string& cell : cells)
            cell.clear();
        const auto group = entries.subspan(start, end - start);
        how == joining::sets ? join_sets(group, cells) : join_lists(group, cells);
        builder.add(entries[start].where, views(cells), masked);
        start = end;
    }
}

template class joined_routes<ipv4_address>;
template class joined_routes<ipv6_address>;

expected<joined_table, std::string> joined_table::make(const table_options& options,
                                                       std::span<const std::string> columns, joining how) {
    value_columns selection;
    const auto names = selection.choose_of(columns, options);
    if (!names)
        return unexpected{names.error()};
    return joined_table(options, std::move(selection), views(*names), how);
}

joined_table::joined_table(const table_options& options, value_columns selection,
                           std::span<const std::string_view> names, joining how)
    : policy_(options.policy), how_(how), builder_(options, names), selection_(std::move(selection)),
      ipv4_(names), ipv6_(names) {}

std::optional<route_fault> joined_table::add(std::string_view where,
                                             std::span<const std::string_view> cells) {
    return take_prefix(builder_, policy_, where, [&]<class A>(const prefix<A>& p, bool masks) {
        if constexpr (A::bits == ipv4_address::bits)
            ipv4_.add(p, selection_.of(cells), masks);
        else
            ipv6_.add(p, selection_.of(cells), masks);
    });
}

void joined_table::build(std::uint64_t bad) {
    ipv4_.add_to(builder_, how_);
    ipv6_.add_to(builder_, how_);
    builder_.count(bad, 0);
}

both_tables joined_table::finish_both(std::uint64_t lines, std::uint64_t bad) && {
    build(bad);
    return std::move(builder_).finish_both(lines);
}

one_table joined_table::finish(std::uint64_t lines, std::uint64_t bad) && {
    build(bad);
    return std::move(builder_).finish(lines);
}

} // namespace fingerpost::io
