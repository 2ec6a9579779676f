// How often each value of a column is the answer, or each address is asked for: --count-by.
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
    // Addresses by the value of their answer; those without a match, or with a missing value, have none.
    std::map<std::optional<std::string>, std::uint64_t> values{};
    // Or the addresses themselves, which may be many.
    address_counts<ipv4_address> ipv4{};
    address_counts<ipv6_address> ipv6{};
};

// Of one thread: counts routes, whose values are looked at when all are counted.
class answer_counts {
  public:
    // `tables` in the order of answer_place::table.
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

    // Adds what was counted to `to`. `column_of` says which column counts, by table.
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

    // By table, by the number of the route.
    std::vector<std::vector<std::uint64_t>> ipv4_;
    std::vector<std::vector<std::uint64_t>> ipv6_;
    std::uint64_t misses_ = 0;
    value_counts addresses_; // without values
};

// The values by their counts, the largest first, with their shares of all; at most `limit`, or all if it is
// 0. In the form of the rows: CSV and TSV with a header, objects of NDJSON, or for lines and logs text in
// columns. `name` is that of the column; `type` that of its values.
std::string write_counts(const value_counts& counts, row_kind kind, const std::string& name, column_type type,
                         std::uint64_t limit);

} // namespace fingerpost::cli::enrich
