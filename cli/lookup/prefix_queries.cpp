// Searches the routes of a table for each query.
#include "cli/lookup/prefix_queries.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace fingerpost::cli {

std::optional<text_error> prefix_queries::ask(std::string_view text, std::string_view shown) {
    if (const auto address = address_for(*table_, text); address && *address) {
        if ((*address)->kind == family::ipv4)
            note(shown, ipv4_prefix{(*address)->four, ipv4_address::bits});
        else
            note(shown, ipv6_prefix{(*address)->six, ipv6_address::bits});
        return std::nullopt;
    }
    const auto where = parse_prefix(text);
    if (!where)
        return where.error();
    std::visit([&](const auto& p) { note(shown, p); }, *where);
    return std::nullopt;
}

template <class A>
void prefix_queries::note(std::string_view text, const prefix<A>& where) {
    texts_ += text;
    waiting_.push_back({texts_.size(), where});
    if (where.length == A::bits)
        search_of<A>().hosts.push_back(where.base);
}

// A FIB finds the longest matches of many addresses in one call.
template <class A>
void prefix_queries::look_up(const family_table<A>* table) {
    search<A>& one = search_of<A>();
    if (table == nullptr)
        return;
    if (!one.tree)
        one.tree.emplace(*table);
    one.matches.resize(one.hosts.size());
    table->look_up(one.hosts, one.matches);
    one.next = 0;
}

template <class A>
std::uint32_t prefix_queries::longest(const prefix<A>& where) {
    search<A>& one = search_of<A>();
    return where.length == A::bits ? one.matches[one.next++].id : one.tree->longest(where);
}

template <class A>
void prefix_queries::answer(std::string_view text, const prefix<A>& where, const family_table<A>* table) {
    if (table == nullptr) {
        new_row(text);
        return;
    }
    const route_tree<A>& tree = *search_of<A>().tree;
    std::size_t found = 0;
    const auto take = [&](std::uint32_t route) {
        add(text, route, *table);
        ++found;
    };
    if (wanted_ == match_kind::covered) {
        const auto [first, last] = tree.covered(where);
        for (std::size_t at = first; at < last; ++at)
            take(static_cast<std::uint32_t>(at));
    } else if (const std::uint32_t match = longest(where); match != tree.none) {
        if (wanted_ == match_kind::covering)
            tree.for_each_cover(match, take);
        else if (wanted_ == match_kind::longest || table->prefix_of({match}).length == where.length)
            take(match);
    }
    if (found == 0)
        new_row(text);
}

row& prefix_queries::new_row(std::string_view text) {
    if (rows_.size() == most_rows)
        write_rows();
    return rows_.emplace_back(row{.address = text});
}

template <class A>
void prefix_queries::add(std::string_view text, std::uint32_t route, const family_table<A>& table) {
    row& made = new_row(text);
    shown_end_ = describe(table, {route}, shown_end_, made);
}

void prefix_queries::write_rows() {
    writer_->write(rows_, *out_);
    rows_.clear();
    shown_end_ = shown_.data();
}

void prefix_queries::write(row_writer& writer, std::string& out) {
    writer_ = &writer;
    out_ = &out;
    look_up(table_->ipv4());
    look_up(table_->ipv6());
    std::size_t start = 0;
    for (const query& one : waiting_) {
        const std::string_view text = std::string_view(texts_).substr(start, one.text_end - start);
        start = one.text_end;
        if (const auto* const four = std::get_if<ipv4_prefix>(&one.where))
            answer(text, *four, table_->ipv4());
        else
            answer(text, std::get<ipv6_prefix>(one.where), table_->ipv6());
    }
    write_rows();
    waiting_.clear();
    texts_.clear();
    ipv4_.hosts.clear();
    ipv6_.hosts.clear();
}

} // namespace fingerpost::cli
