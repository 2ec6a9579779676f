// Walks the routes of a table for one query after the other.
#include "cli/prefix_queries.hpp"

#include <algorithm>
#include <utility>

namespace fingerpost::cli {

template <class A>
std::optional<route_tree<A>>& prefix_queries::tree_of() {
    if constexpr (A::bits == ipv4_address::bits)
        return ipv4_;
    else
        return ipv6_;
}

std::optional<text_error> prefix_queries::ask(std::string_view text) {
    const auto* const four = table_->ipv4();
    const auto seen = detect_family(text);
    if (seen == family::ipv6 && four != nullptr) {
        // An IPv4-mapped address is an IPv4 one, as in other lookups.
        const auto address = parse_address<ipv6_address>(text);
        if (address && is_ipv4_mapped(*address)) {
            const ipv4_address inner = unmapped(*address);
            find(texts_.emplace_back(text), prefix<ipv4_address>::make(inner, ipv4_address::bits), *four);
            return std::nullopt;
        }
    }
    if (seen == family::ipv4 || (!seen && four != nullptr))
        return ask_family(text, four);
    return ask_family(text, table_->ipv6());
}

template <class A>
std::optional<text_error> prefix_queries::ask_family(std::string_view text, const family_table<A>* table) {
    const auto where = parse_prefix<A>(text);
    if (!where)
        return where.error();
    if (table == nullptr)
        return text_error{text_fault::wrong_family,
                          A::bits == ipv4_address::bits ? family::ipv6 : family::ipv4, 0};
    find(texts_.emplace_back(text), *where, *table);
    return std::nullopt;
}

template <class A>
void prefix_queries::find(std::string_view query, const prefix<A>& where, const family_table<A>& table) {
    std::optional<route_tree<A>>& tree = tree_of<A>();
    if (!tree)
        tree.emplace(table.routes());
    const std::size_t before = rows_.size();
    switch (wanted_) {
    case match_kind::longest:
        add(query, tree->longest(where), table);
        return;
    case match_kind::exact:
        add(query, tree->exact(where), table);
        return;
    case match_kind::covering:
        for (std::uint32_t at = tree->longest(where); at != tree->none; at = tree->parent(at))
            add(query, at, table);
        std::reverse(rows_.begin() + static_cast<std::ptrdiff_t>(before), rows_.end());
        break;
    case match_kind::covered:
        const auto [first, last] = tree->covered(where);
        for (std::size_t at = first; at < last; ++at)
            add(query, static_cast<std::uint32_t>(at), table);
        break;
    }
    if (rows_.size() == before)
        add(query, tree->none, table);
}

template <class A>
void prefix_queries::add(std::string_view query, std::uint32_t route, const family_table<A>& table) {
    row& made = rows_.emplace_back(row{.address = query});
    if (route == route_tree<A>::none)
        return;
    made.prefix = texts_.emplace_back(to_string(table.prefix_of({route})));
    made.values = &table.values();
    made.number = table.row_of({route});
}

void prefix_queries::write(row_writer& writer, std::string& out) {
    writer.write(rows_, out);
    rows_.clear();
    texts_.clear();
}

} // namespace fingerpost::cli
