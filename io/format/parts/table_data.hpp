// Tables as the readers of all formats return them, and the builder that collects their routes.
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

// Advice in error messages. A program names its own options here. An empty text gives no advice. The caller
// keeps the texts alive.
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
    // Skip routes of the other family. If this and `both` are not set, choose() refuses routes of a family
    // other than the first one.
    std::optional<family> only = {};
    // Take routes of both families, for finish_both(). `only` overrides it.
    bool both = false;
    // Whether bits past the length of a prefix are cleared, or the route is refused.
    host_bits policy = host_bits::mask;
    // Maximum number of faulty lines (records, objects) to report and skip. The next one is an error.
    std::uint64_t skip_bad = 0;
    fault_log::listener on_skip = {};
    // Name of the prefix column, or of the two columns with the first and last addresses of ranges. For
    // formats with named columns. If empty, the usual names are tried.
    std::vector<std::string> network = {};
    // Names of the value columns to keep, in this order; all if empty.
    std::vector<std::string> values = {};
    // Name of the routing table to read, if the input has several; the main table if empty.
    std::string routing_table = {};
    // MaxMind DB only: store the IPv4 networks also as routes of the IPv6 blocks that point to them (6to4,
    // Teredo, NAT64, ::/96), not in both_tables::aliases. The table becomes several times as large.
    bool aliases = false;
    // Called at the end with the valid routes that were left out, such as "3 routes of table local".
    std::function<void(const std::string&)> on_left_out = {};
    // Called with how the input is read, such as "CSV with column network". Not for plain text.
    std::function<void(const std::string&)> on_understood = {};
    table_advice advice = {};
};

struct table_counts {
    std::uint64_t lines = 0;        // all lines, also empty ones and comments
    std::uint64_t duplicates = 0;   // routes that were replaced by a later one with the same prefix
    std::uint64_t masked = 0;       // routes whose host bits were cleared
    std::uint64_t other_family = 0; // routes that `only` skipped
    std::uint64_t bad = 0;          // faulty lines (records, objects) that were skipped
    std::uint64_t not_best = 0;     // routes that lost to a better one, in formats with ranks
    std::uint64_t left_out = 0;     // routes of other routing tables, or of unsupported kinds
    // JSON records that have no network, and nothing else in common with those that have one.
    std::uint64_t without_network = 0;
    // Column whose texts look like lengths although all prefixes are single addresses; usually empty.
    std::string unused_lengths = {};
};

template <class A>
struct loaded_table {
    std::vector<route<A>> routes; // in prefix order, without duplicates; a next hop is a row of `values`
    value_rows values;            // a route without a next hop has a row of missing cells
    table_counts counts;
};

// A table without routes is an IPv6 table unless the options request IPv4.
using one_table = std::variant<loaded_table<ipv4_address>, loaded_table<ipv6_address>>;

// The tables of one input, each as if the routes of the other family did not exist. The counts `lines`,
// `other_family`, `bad`, `not_best`, `left_out`, `without_network` and `unused_lengths` are equal in both,
// because they count the whole input.
struct both_tables {
    loaded_table<ipv4_address> ipv4;
    loaded_table<ipv6_address> ipv6;
    std::vector<ipv6_prefix> aliases = {}; // IPv6 blocks that are answered by the IPv4 routes (ipv4_within())
};

struct joined_tables {
    both_tables tables;
    std::uint64_t replaced = 0; // routes that were replaced by one of a later table
};
// Joins several tables. The result has the columns of all; where a table lacks a column, its routes have
// missing cells. A column of integers in one table and floats in another becomes one of floats; other
// different types become texts. Of equal prefixes, the one of the last table is kept. Counts are added up for
// each family, and aliases are merged. `inputs` must not be empty. Throws std::bad_alloc.
joined_tables join_tables(std::vector<both_tables> inputs);

// Adds the blocks that `to` lacks. Throws std::bad_alloc.
void add_aliases(const std::vector<ipv6_prefix>& from, std::vector<ipv6_prefix>& to);

// The rows of the last routes of a table, before they are numbered. Numbering many rows together takes less
// than half the time. Until then, the next hop of such a route is the index of its row here.
class waiting_rows {
  public:
    // Copies the cells, except those that equal the cells of the previous row. `keeps_empty`: an empty text
    // is a value; otherwise it is a missing cell.
    next_hop add(std::span<const std::string_view> cells, const value_rows& values, bool keeps_empty);
    bool is_full() const noexcept { return count_ == capacity; }
    // Adds a route whose row is numbered already.
    template <class A>
    void add_settled(loaded_table<A>& table, const route<A>& entry) {
        if (count_ != 0)
            settle(table);
        table.routes.push_back(entry);
        settled_ = table.routes.size();
    }
    // Numbers the waiting rows and sets the next hops of their routes.
    template <class A>
    void settle(loaded_table<A>& table) {
        numbers_.resize(count_);
        number(table.values);
        for (; settled_ < table.routes.size(); ++settled_)
            table.routes[settled_].hop = numbers_[table.routes[settled_].hop.id];
    }

  private:
    static constexpr std::uint32_t capacity = 256;
    struct place {
        std::size_t start;
        std::uint32_t size;
        bool is_missing;
    };

    // Fills numbers_, and removes the rows.
    void number(value_rows& values);
    std::string_view text_at(const place& at) const noexcept {
        return std::string_view(bytes_).substr(at.start, at.size);
    }

    std::string bytes_;         // the cells, one after the other
    std::vector<place> places_; // of each cell in bytes_
    std::uint32_t count_ = 0;
    std::vector<std::string_view> cells_;
    std::vector<next_hop> numbers_; // by index of the waiting row
    std::size_t settled_ = 0;       // number of routes of the table that have their final next hops
};

// Collects routes in any order. Of routes with the same prefix, the last one is kept.
class table_builder {
  public:
    // The value columns are `columns`; without them, there is one column next_hop.
    explicit table_builder(const table_options& options);
    table_builder(const table_options& options, std::span<const std::string_view> columns);

    enum class choice : std::uint8_t { take, skip, refuse };
    // Decides what to do with a route. `detected` is the result of detect_family() for the text of its
    // prefix. If it is empty, the route has the family kind(). Counts refused routes in other_family.
    choice choose(std::optional<family> detected);
    // Renames the columns. Must be called before the first route.
    void set_columns(std::span<const std::string_view> columns);
    // Adds a column. Its cells are missing in the present routes.
    void add_column(std::string_view name);
    std::size_t columns() const noexcept { return tables_.ipv4.values.columns(); }
    // For formats that distinguish empty texts from missing cells; in others, all empty cells are missing.
    // Applies to the routes that follow. Returns the previous setting.
    bool keep_empty_texts(bool keeps = true) noexcept { return std::exchange(keeps_empty_, keeps); }
    bool is_missing(std::string_view cell) const noexcept {
        return cell.empty() && (!keeps_empty_ || fingerpost::is_missing(cell));
    }
    // For formats with types: the known types of columns. Other types result from the values.
    void set_types(std::vector<std::optional<column_type>> types) noexcept { types_ = std::move(types); }

    // Family of the last route that was taken. Before the first one, the requested family, or IPv6.
    family kind() const noexcept { return kind_; }
    // The reason for which choose() refuses a family; it includes the family of the first route.
    std::string refusal(family detected) const;

    // Adds a route after choose() returned choice::take. `cells`: one for each column. `masked`: bits past
    // the length were cleared. Throws std::bad_alloc, and std::length_error when there are too many rows. The
    // functions below may throw these too, because many rows are numbered together.
    template <class A>
    void add(const prefix<A>& where, std::span<const std::string_view> cells, bool masked = false) {
        auto& table = table_of<A>();
        auto& waiting = waiting_of<A>();
        table.routes.push_back({where, waiting.add(cells, table.values, keeps_empty_)});
        table.counts.masked += masked ? 1 : 0;
        if (waiting.is_full())
            waiting.settle(table);
    }
    // Adds a route in two steps, for many routes with the same cells. A row belongs to one family.
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

    // Sets the counts of the reader; the last call is used.
    void count(std::uint64_t bad, std::uint64_t not_best, std::uint64_t left_out = 0) noexcept {
        bad_ = bad;
        not_best_ = not_best;
        left_out_ = left_out;
    }
    void set_aliases(std::vector<ipv6_prefix> aliases) noexcept { tables_.aliases = std::move(aliases); }
    void count_without_network(std::uint64_t count) noexcept { without_network_ = count; }
    // Sorts the routes and keeps the last one of each prefix. Decides the types of the columns. `lines`:
    // number of lines of the input. finish() returns only the table of the family kind().
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
    bool decided_; // kind_ is the family of the input
    bool keeps_empty_ = false;
    std::vector<std::optional<column_type>> types_;
    std::uint64_t other_family_ = 0;
    std::uint64_t bad_ = 0;
    std::uint64_t not_best_ = 0;
    std::uint64_t left_out_ = 0;
    std::uint64_t without_network_ = 0;
};

} // namespace fingerpost::io
