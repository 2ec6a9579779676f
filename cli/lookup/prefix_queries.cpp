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
    search<A>& queries = search_of<A>();
    if (table == nullptr)
        return;
    queries.matches.resize(queries.hosts.size());
    table->look_up(queries.hosts, queries.matches);
    queries.next = 0;
}

template <class A>
std::uint32_t prefix_queries::longest(const route_tree<A>& tree, const prefix<A>& where) {
    search<A>& queries = search_of<A>();
    return where.length == A::bits ? queries.matches[queries.next++].id : tree.longest(where);
}

template <class A>
void prefix_queries::answer(std::string_view text, const prefix<A>& where, const family_table<A>* table) {
    if (table == nullptr) {
        new_row(text);
        return;
    }
    const route_tree<A>& tree = trees_->of(*table);
    std::size_t count = 0;
    const auto take = [&](std::uint32_t route) {
        add(text, route, *table);
        ++count;
    };
    if (wanted_ == match_kind::covered) {
        const auto [first, last] = tree.covered(where);
        for (std::size_t at = first; at < last; ++at)
            take(static_cast<std::uint32_t>(at));
    } else if (const std::uint32_t match = longest(tree, where); match != tree.none) {
        if (wanted_ == match_kind::covering)
            tree.for_each_cover(match, take);
        else if (wanted_ == match_kind::longest || table->prefix_of({match}).length == where.length)
            take(match);
    }
    if (count == 0)
        new_row(text);
}

row& prefix_queries::new_row(std::string_view text) {
    if (rows_.size() == most_rows)
        write_rows();
    return rows_.emplace_back(row{.address = text});
}

template <class A>
void prefix_queries::add(std::string_view text, std::uint32_t route, const family_table<A>& table) {
    row& answer = new_row(text);
    shown_end_ = describe(table, {route}, shown_end_, answer);
}

void prefix_queries::write_rows() {
    writer_->write(rows_, *out_);
    (*spill_)();
    rows_.clear();
    shown_end_ = shown_.data();
}

void prefix_queries::write(row_writer& writer, std::string& out, const std::function<void()>& spill) {
    writer_ = &writer;
    out_ = &out;
    spill_ = &spill;
    look_up(table_->ipv4());
    look_up(table_->ipv6());
    std::size_t start = 0;
    for (const query& query : waiting_) {
        const std::string_view text = std::string_view(texts_).substr(start, query.text_end - start);
        start = query.text_end;
        if (const auto* const four = std::get_if<ipv4_prefix>(&query.where))
            answer(text, *four, table_->ipv4());
        else
            answer(text, std::get<ipv6_prefix>(query.where), table_->ipv6());
    }
    write_rows();
    waiting_.clear();
    texts_.clear();
    ipv4_.hosts.clear();
    ipv6_.hosts.clear();
}

} // namespace fingerpost::cli
