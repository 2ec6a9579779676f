// The counts of --count-by: answers by value, or the addresses themselves.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/answers/answer_table.hpp"
#include "cli/enrich/rows/input_kinds.hpp"
#include "cli/enrich/select/address_counts.hpp"
#include "cli/enrich/select/condition.hpp"

namespace fingerpost::cli::enrich {

struct value_counts {
    // Counts by the value of the answer. Addresses without a match or value have the key nullopt.
    std::map<std::optional<std::string>, std::uint64_t> values{};
    // Counts of the addresses themselves, which may be many.
    address_counts<ipv4_address> ipv4{};
    address_counts<ipv6_address> ipv6{};
};

// The counts of one thread. Counts routes, and reads their values only at the end.
class answer_counts {
  public:
    // `tables` is the number of tables, which answer_place::table indexes.
    explicit answer_counts(std::size_t tables) : ipv4_(tables), ipv6_(tables) {}

    void add_miss() { ++misses_; }
    template <class A>
    void add(const family_table<A>& table, std::size_t number, next_hop match) {
        auto& counts = of<A>()[number];
        if (counts.empty())
            counts.resize(table.size());
        ++counts[match.id];
    }

    template <class A>
    void add(A address) {
        if constexpr (A::bits == ipv4_address::bits)
            addresses_.ipv4.add(address);
        else
            addresses_.ipv6.add(address);
    }

    // Adds the counts to `to`. `columns` has the counted column of each table.
    void sum(std::span<const answer_table* const> tables, std::span<const column_number> columns,
             value_counts& to) const;

  private:
    template <class A>
    auto& of() {
        if constexpr (A::bits == ipv4_address::bits)
            return ipv4_;
        else
            return ipv6_;
    }

    // By table, then by route number.
    std::vector<std::vector<std::uint64_t>> ipv4_;
    std::vector<std::vector<std::uint64_t>> ipv6_;
    std::uint64_t misses_ = 0;
    value_counts addresses_; // only addresses are counted here
};

// Writes the values by count, largest first, with their shares of the sum; at most `limit` of them, or all if
// it is 0. The format follows the kind of rows: CSV and TSV with a header, NDJSON objects, or aligned text
// for lines and logs. `name` is the column's name, `type` the type of its values.
std::string write_counts(const value_counts& counts, row_kind kind, const std::string& name, column_type type,
                         std::uint64_t limit);

} // namespace fingerpost::cli::enrich
