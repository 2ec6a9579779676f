// Walks all tables together in prefix order, and tracks the covers of the current prefix in each table.
#include "io/source/combine/overlay.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/table_columns.hpp"

namespace fingerpost::io {
namespace {

template <class A>
const loaded_table<A>& family_in(const both_tables& tables) {
    if constexpr (A::bits == ipv4_address::bits)
        return tables.ipv4;
    else
        return tables.ipv6;
}

// Walks one table in prefix order, in which every cover precedes the prefixes that it covers.
template <class A>
class walked_table {
  public:
    explicit walked_table(const loaded_table<A>& table) : table_(&table) {}

    const prefix<A>* next() const {
        return next_ == table_->routes.size() ? nullptr : &table_->routes[next_].where;
    }
    // Moves to this prefix, which must not be after next(). Returns whether the match has changed.
    bool go_to(const prefix<A>& where) {
        bool changed = false;
        while (!covers_.empty() && !table_->routes[covers_.back()].where.covers(where)) {
            covers_.pop_back();
            changed = true;
        }
        if (next() != nullptr && *next() == where) {
            covers_.push_back(next_++);
            changed = true;
        }
        return changed;
    }
    // Writes the columns of the match. `text` stores the prefix.
    void put(std::string& text, std::string_view* cells) const {
        const route<A>* const match = covers_.empty() ? nullptr : &table_->routes[covers_.back()];
        text = match != nullptr ? to_string(match->where) : std::string();
        *cells++ = match != nullptr ? text : missing_cell;
        for (std::size_t i = 0; i < table_->values.columns(); ++i)
            *cells++ = match != nullptr ? table_->values.cell(match->hop, i) : missing_cell;
    }
    std::size_t columns() const { return table_->values.columns() + 1; }

  private:
    const loaded_table<A>* table_;
    std::size_t next_ = 0;
    std::vector<std::size_t> covers_; // indices of routes, shortest prefix first
};

template <class A>
loaded_table<A> overlay(const std::vector<named_tables>& inputs, const std::vector<std::string>& names) {
    loaded_table<A> result{{}, value_rows(views(names)), {}};
    std::vector<walked_table<A>> walks;
    for (const named_tables& input : inputs) {
        const loaded_table<A>& table = family_in<A>(input.tables);
        walks.emplace_back(table);
        result.counts.duplicates += table.counts.duplicates;
        result.counts.masked += table.counts.masked;
    }
    std::vector<std::string> texts(walks.size());
    std::vector<std::string_view> cells(names.size());
    for (;;) {
        const prefix<A>* least = nullptr;
        for (const walked_table<A>& walk : walks)
            if (walk.next() != nullptr && (least == nullptr || *walk.next() < *least))
                least = walk.next();
        if (least == nullptr)
            return result;
        const prefix<A> where = *least;
        std::size_t at = 0;
        for (std::size_t i = 0; i < walks.size(); ++i) {
            if (walks[i].go_to(where) || result.routes.empty())
                walks[i].put(texts[i], cells.data() + at);
            at += walks[i].columns();
        }
        result.routes.push_back({where, result.values.intern(cells)});
    }
}

} // namespace

both_tables overlay_tables(const std::vector<named_tables>& inputs) {
    std::vector<std::string> names;
    for (const named_tables& input : inputs) {
        names.push_back(input.name + "_prefix");
        for (std::size_t i = 0; i < input.tables.ipv4.values.columns(); ++i)
            names.push_back(input.name + "_" + std::string(input.tables.ipv4.values.name(i)));
    }
    std::vector<column_type> types;
    for (const named_tables& input : inputs) {
        types.push_back(column_type::text);
        for (const column_type type : input.tables.ipv4.values.types())
            types.push_back(type);
    }
    both_tables tables{overlay<ipv4_address>(inputs, names), overlay<ipv6_address>(inputs, names)};
    tables.ipv4.values.set_types(types);
    tables.ipv6.values.set_types(types);
    for (const named_tables& input : inputs)
        add_aliases(input.tables.aliases, tables.aliases);
    return tables;
}

} // namespace fingerpost::io
