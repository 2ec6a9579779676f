// Tables as all readers of formats return them, and the builder that collects their routes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fingerpost/net/route.hpp"
#include "fingerpost/net/text.hpp"
#include "fingerpost/values/rows.hpp"
#include "io/format/parts/fault_log.hpp"

namespace fingerpost::io {

// Advice that errors give, in the words of the caller: a program names its options here. An empty text gives
// no advice. The caller keeps the texts alive.
struct table_advice {
    std::string_view family = "table_options::only chooses one, load_both() reads both";
    std::string_view network = "name one in table_options::network";
    std::string_view format = "name it in read_options::format";
    std::string_view routing_table = "name one in table_options::routing_table";
};
inline constexpr table_advice no_advice{{}, {}, {}, {}};

// Returns `reason (advice)`.
std::string advised(std::string reason, std::string_view advice);

struct table_options {
    // Skips routes of the other family. Without it and without `both`, choose() refuses a route of another
    // family than the first one's.
    std::optional<family> only = {};
    // Takes routes of both families, for finish_both(). `only` overrules it.
    bool both = false;
    // What to do with bits past the length of a prefix: to clear them, or to refuse the route.
    host_bits policy = host_bits::mask;
    // Skips and reports this many wrong lines (records, objects); one more is the error.
    std::uint64_t skip_bad = 0;
    fault_log::listener on_skip = {};
    // The name of the column with the prefixes, or of the two columns with the first and last addresses of
    // ranges, for formats with named columns. If empty, the usual names are tried.
    std::vector<std::string> network = {};
    // The names of the columns of values to keep, in this order; all if empty.
    std::vector<std::string> values = {};
    // Which routing table is read of an input that has several, by the name that it has there; the main one
    // if empty.
    std::string routing_table = {};
    // MaxMind DB only: has the IPv4 networks also as routes of the IPv6 blocks that lead to them (6to4,
    // Teredo, NAT64, and ::/96), instead of both_tables::aliases. The table becomes several times as large.
    bool aliases = false;
    // Called at the end with what was left out although nothing is wrong with it, such as "3 routes of table
    // local".
    std::function<void(const std::string&)> on_left_out = {};
    // Called with a description of how the input is understood, such as "CSV with column network", unless it
    // is plain text.
    std::function<void(const std::string&)> on_understood = {};
    table_advice advice = {};
};

struct table_counts {
    std::uint64_t lines = 0;        // of any kind
    std::uint64_t duplicates = 0;   // routes that a later one with the same prefix replaced
    std::uint64_t masked = 0;       // routes whose host bits were cleared
    std::uint64_t other_family = 0; // routes that `only` skipped
    std::uint64_t bad = 0;          // wrong lines (records, objects) that were skipped
    std::uint64_t not_best = 0;     // routes of formats with ranks that lost to a better one
    std::uint64_t left_out = 0;     // routes of other tables, or of a kind that no table here has
    // Records of JSON that have no network, and nothing else in common with those that have one.
    std::uint64_t without_network = 0;
    // The column whose texts look like the lengths of the prefixes, although all of these are single
    // addresses; usually empty.
    std::string unused_lengths = {};
};

template <class A>
struct loaded_table {
    std::vector<route<A>> routes; // in prefix order, each prefix once; a next hop is a row of `values`
    value_rows values;            // a route without a next hop has a row of missing cells
    table_counts counts;
};

// A table without any route is an IPv6 one unless the options say otherwise.
using one_table = std::variant<loaded_table<ipv4_address>, loaded_table<ipv6_address>>;

// The tables of one input, each as if the routes of the other family did not exist. But `lines`,
// `other_family`, `bad`, `not_best`, `left_out`, `without_network` and `unused_lengths` are the same in both:
// they are of the whole input.
struct both_tables {
    loaded_table<ipv4_address> ipv4;
    loaded_table<ipv6_address> ipv6;
    std::vector<ipv6_prefix> aliases = {}; // IPv6 blocks that the IPv4 routes answer for (ipv4_within())
};

struct joined_tables {
    both_tables tables;
    std::uint64_t replaced = 0; // routes that gave way to one of a later table with the same prefix
};
// Makes one table of several. It has the columns of all; a route has a missing cell in a column that its
// table did not have. A column of integers in one and of floats in another is one of floats, of other
// different types one of texts. Of equal prefixes the one of the last table counts. The counts of each family
// are added up, and the aliases of all are those of the result. `all` is not empty. Throws std::bad_alloc.
joined_tables join_tables(std::vector<both_tables> all);

// Adds those that `to` lacks. Throws std::bad_alloc.
void add_aliases(const std::vector<ipv6_prefix>& from, std::vector<ipv6_prefix>& to);

// Rows that the last routes of a table have, until they get their numbers: many at a time take less than half
// as long. Until then the next hop of such a route is the place of its row among them.
class waiting_rows {
  public:
    // Copies the cells, except those that the previous row has as well. `keeps_empty`: an empty text is one;
    // else the cell is missing.
    next_hop add(std::span<const std::string_view> cells, const value_rows& values, bool keeps_empty);
    bool is_full() const noexcept { return count_ == most; }
    // Adds a route whose row has its number already.
    template <class A>
    void add_settled(loaded_table<A>& table, const route<A>& one) {
        if (count_ != 0)
            settle(table);
        table.routes.push_back(one);
        settled_ = table.routes.size();
    }
    // Gives the routes of the waiting rows their next hops.
    template <class A>
    void settle(loaded_table<A>& table) {
        numbers_.resize(count_);
        number(table.values);
        for (; settled_ < table.routes.size(); ++settled_)
            table.routes[settled_].hop = numbers_[table.routes[settled_].hop.id];
    }

  private:
    static constexpr std::uint32_t most = 256;
    struct place {
        std::size_t start;
        std::uint32_t size;
        bool is_missing;
    };

    // Fills in numbers_, and removes the rows.
    void number(value_rows& values);
    std::string_view text_at(const place& at) const noexcept {
        return std::string_view(bytes_).substr(at.start, at.size);
    }

    std::string bytes_;         // the cells, one after the other
    std::vector<place> places_; // of each cell in bytes_
    std::uint32_t count_ = 0;
    std::vector<std::string_view> cells_;
    std::vector<next_hop> numbers_; // by place among the waiting rows
    std::size_t settled_ = 0;       // so many routes of the table have their next hops
};

// Collects routes in any order; of a prefix that comes twice the last one counts.
class table_builder {
  public:
    // The columns of values: next_hop alone, or `columns`.
    explicit table_builder(const table_options& options);
    table_builder(const table_options& options, std::span<const std::string_view> columns);

    enum class choice : std::uint8_t { take, skip, refuse };
    // Decides what to do with a route. `seen` is the family that the text of its prefix looks like, as
    // detect_family() tells it; nothing if it looks like neither, and then the route has the family kind().
    // Counts in other_family what is not taken.
    choice choose(std::optional<family> seen);
    // Renames the columns; only before the first route.
    void set_columns(std::span<const std::string_view> columns);
    // Adds a column, in which the present routes have missing cells.
    void add_column(std::string_view name);
    std::size_t columns() const noexcept { return tables_.ipv4.values.columns(); }
    // For formats that tell an empty text from a missing cell; of others all empty cells are missing. Is for
    // the routes that follow; returns what it was.
    bool keep_empty_texts(bool keeps = true) noexcept { return std::exchange(keeps_empty_, keeps); }
    bool is_missing(std::string_view cell) const noexcept {
        return cell.empty() && (!keeps_empty_ || fingerpost::is_missing(cell));
    }
    // For formats that have types: those of the columns, where they are known. The values decide the others.
    void set_types(std::vector<std::optional<column_type>> types) noexcept { types_ = std::move(types); }

    // The family of the last route that was taken; before the first one, the wanted family, or IPv6.
    family kind() const noexcept { return kind_; }
    // Why choose() refuses a family: names the family with which the table began.
    std::string refusal(family seen) const;

    // Called after choose() said to take the route. There is one cell for each column. `masked`: bits past
    // the length were cleared. Throws std::bad_alloc, and std::length_error when there are too many rows; the
    // next functions may throw these for rows that were added before, as rows are numbered many at a time.
    template <class A>
    void add(const prefix<A>& where, std::span<const std::string_view> cells, bool masked = false) {
        auto& table = table_of<A>();
        auto& waiting = waiting_of<A>();
        table.routes.push_back({where, waiting.add(cells, table.values, keeps_empty_)});
        table.counts.masked += masked ? 1 : 0;
        if (waiting.is_full())
            waiting.settle(table);
    }
    // The same in two steps, for many routes with the same cells. The row is that of one family.
    template <class A>
    next_hop row_of(std::span<const std::string_view> cells) {
        return table_of<A>().values.intern(cells);
    }
    template <class A>
    void add(const prefix<A>& where, next_hop row, bool masked = false) {
        auto& table = table_of<A>();
        waiting_of<A>().add_settled(table, {where, row});
        table.counts.masked += masked ? 1 : 0;
    }

    // Sets what readers count themselves; the last call counts.
    void count(std::uint64_t bad, std::uint64_t not_best, std::uint64_t left_out = 0) noexcept {
        bad_ = bad;
        not_best_ = not_best;
        left_out_ = left_out;
    }
    void set_aliases(std::vector<ipv6_prefix> aliases) noexcept { tables_.aliases = std::move(aliases); }
    void count_without_network(std::uint64_t count) noexcept { without_network_ = count; }
    // Sorts the routes; of a prefix that came twice the last one stays. Decides the types of the columns.
    // `lines`: the number of lines of the input. finish() returns the table of the family kind() alone.
    both_tables finish_both(std::uint64_t lines) &&;
    one_table finish(std::uint64_t lines) &&;

  private:
    template <class A>
    loaded_table<A>& table_of() noexcept {
        if constexpr (A::bits == ipv4_address::bits)
            return tables_.ipv4;
        else
            return tables_.ipv6;
    }

    template <class A>
    waiting_rows& waiting_of() noexcept {
        return A::bits == ipv4_address::bits ? waiting_ipv4_ : waiting_ipv6_;
    }
    void settle() {
        waiting_ipv4_.settle(tables_.ipv4);
        waiting_ipv6_.settle(tables_.ipv6);
    }

    table_options options_;
    both_tables tables_;
    waiting_rows waiting_ipv4_;
    waiting_rows waiting_ipv6_;
    family kind_;
    bool decided_; // whether kind_ is the family of the input
    bool keeps_empty_ = false;
    std::vector<std::optional<column_type>> types_;
    std::uint64_t other_family_ = 0;
    std::uint64_t bad_ = 0;
    std::uint64_t not_best_ = 0;
    std::uint64_t left_out_ = 0;
    std::uint64_t without_network_ = 0;
};

} // namespace fingerpost::io
