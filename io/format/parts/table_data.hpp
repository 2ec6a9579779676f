// Tables as all readers of formats return them, and the builder that collects their routes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fingerpost/net/route.hpp"
#include "fingerpost/net/text.hpp"
#include "fingerpost/values/rows.hpp"
#include "io/format/parts/fault_log.hpp"

namespace fingerpost::io {

// Advice that errors give, in the words of the caller: a program names its options here. No advice where a
// word is empty. The texts are not copied.
struct table_advice {
    std::string_view family = "table_options::only chooses one, load_both() reads both";
    std::string_view network = "name one in table_options::network";
    std::string_view format = "name it in read_options::format";
};
inline constexpr table_advice no_advice{{}, {}, {}};

// Returns `reason (advice)`.
std::string advised(std::string reason, std::string_view advice);

struct table_options {
    // Skips routes of the other family. Without it, finish() requires that all routes have the family of the
    // first one.
    std::optional<family> only = {};
    // Takes routes of both families, for finish_both().
    bool both = false;
    host_bits policy = host_bits::mask;
    // Skips and reports this many wrong lines (records, objects); one more is the error.
    std::uint64_t skip_bad = 0;
    fault_log::listener on_skip = {};
    // The name of the column with the prefixes, or of the two columns with the first and last addresses of
    // ranges, for formats with named columns. If empty, the usual names are tried.
    std::vector<std::string> network = {};
    // The names of the columns of values to keep, in this order; all if empty.
    std::vector<std::string> values = {};
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
};

template <class A>
struct loaded_table {
    std::vector<route<A>> routes; // in prefix order, each prefix once; next hops are numbers of rows
    value_rows values;            // a route without a next hop has a row of empty texts
    table_counts counts;
};

// A table without any route is an IPv6 one unless the options say otherwise.
using one_table = std::variant<loaded_table<ipv4_address>, loaded_table<ipv6_address>>;

// The tables of one input, each as if the routes of the other family did not exist; both count all lines.
struct both_tables {
    loaded_table<ipv4_address> ipv4;
    loaded_table<ipv6_address> ipv6;
};

// One table of several, at least one: of equal prefixes the last one counts, and what a table has no column
// for is empty. `replaced` is how many routes gave way to another table's. Counts are the sums of all. Throws
// std::bad_alloc.
struct joined_tables {
    both_tables tables;
    std::uint64_t replaced = 0;
};
joined_tables join_tables(std::vector<both_tables> all);

// Collects routes in any order; of a prefix that comes twice the last one counts.
class table_builder {
  public:
    // The values of its routes have one column, next_hop, unless other columns are named.
    explicit table_builder(const table_options& options);
    table_builder(const table_options& options, std::span<const std::string_view> columns);

    enum class choice : std::uint8_t { take, skip, refuse };
    // Decides what to do with a route whose prefix seems to be of this family, or of none. Counts it if it is
    // skipped.
    choice choose(std::optional<family> seen);
    // Renames the columns; only before the first route.
    void set_columns(std::span<const std::string_view> columns);
    // Adds a column, in which the present routes have empty texts.
    void add_column(std::string_view name);
    std::size_t columns() const noexcept { return tables_.ipv4.values.columns(); }

    // The present family of the table, and of texts that begin like neither.
    family kind() const noexcept { return kind_; }
    // Why choose() refuses a family: names the family with which the table began.
    std::string refusal(family seen) const;

    // Called after choose() said to take the route. `masked`: bits behind its length were cleared.
    template <class A>
    void add(const prefix<A>& where, std::span<const std::string_view> cells, bool masked = false) {
        auto& table = table_of<A>();
        table.routes.push_back({where, table.values.intern(cells)});
        table.counts.masked += masked ? 1 : 0;
    }

    // Adds what readers count themselves, for both families.
    void count(std::uint64_t bad, std::uint64_t not_best) noexcept {
        bad_ = bad;
        not_best_ = not_best;
    }
    // `lines`: the number of lines of the input.
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

    table_options options_;
    both_tables tables_;
    family kind_;
    bool decided_; // whether kind_ is the family of the input
    std::uint64_t other_family_ = 0;
    std::uint64_t bad_ = 0;
    std::uint64_t not_best_ = 0;
};

} // namespace fingerpost::io
