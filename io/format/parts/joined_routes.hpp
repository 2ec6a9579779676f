// Joins all entries of a prefix into one route, for formats in which every entry counts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/values/rows.hpp"
#include "io/format/parts/route_taker.hpp"
#include "io/format/parts/table_columns.hpp"

namespace fingerpost::io {

// How the texts of several entries are joined with commas.
enum class joining : std::uint8_t {
    sets,  // each column has its different texts, in input order
    lists, // the n-th texts of all columns belong together; entries are in the order of the numbers in them
};

// The entries of one family.
template <class A>
class joined_routes {
  public:
    explicit joined_routes(std::span<const std::string_view> columns) : rows_(columns) {}

    void add(const prefix<A>& where, std::span<const std::string_view> cells, bool masked) {
        entries_.push_back({where, rows_.intern(cells), masked});
    }
    // Adds one route for each prefix to the builder.
    void add_to(table_builder& builder, joining how);

  private:
    struct entry {
        prefix<A> where;
        next_hop row;
        bool masked;
    };
    void join_sets(std::span<const entry> group, std::vector<std::string>& cells) const;
    void join_lists(std::span<const entry> group, std::vector<std::string>& cells) const;

    value_rows rows_;
    std::vector<entry> entries_;
};

// The joined routes of both families, with the options that all readers share.
class joined_table {
  public:
    // Fails with an explanation if a requested value is not one of the columns.
    static expected<joined_table, std::string> make(const table_options& options,
                                                    std::span<const std::string> columns, joining how);

    // `cells`: one for each column. Returns the fault of a prefix. Skips prefixes of the other family.
    std::optional<route_fault> add(std::string_view where, std::span<const std::string_view> cells);

    both_tables finish_both(std::uint64_t lines, std::uint64_t bad) &&;
    one_table finish(std::uint64_t lines, std::uint64_t bad) &&;

  private:
    joined_table(const table_options& options, value_columns selection,
                 std::span<const std::string_view> names, joining how);
    void build(std::uint64_t bad);

    host_bits policy_;
    joining how_;
    table_builder builder_;
    value_columns selection_;
    joined_routes<ipv4_address> ipv4_;
    joined_routes<ipv6_address> ipv6_;
};

} // namespace fingerpost::io
