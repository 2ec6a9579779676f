// How often each value of a column is the answer, or each address is asked for: --count-by.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "cli/answers/answer_table.hpp"
#include "cli/enrich/rows/input_kinds.hpp"
#include "cli/enrich/select/condition.hpp"
#include "fingerpost/base/keyed_hash.hpp"

namespace fingerpost::cli::enrich {

// Addresses by the value of their answer; those without a match, or with a missing value, have none.
using value_counts = std::map<std::optional<std::string>, std::uint64_t>;

// The clients of a server choose the addresses in its log, and must not choose which of them collide.
struct address_hash {
    hash_key key = hash_key::random();
    template <class A>
    std::size_t operator()(A address) const noexcept {
        return key.hash(address.value);
    }
};
template <class A>
using counted_addresses = std::unordered_map<A, std::uint64_t, address_hash>;

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
        ++std::get<counted_addresses<A>>(addresses_)[address];
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
    std::tuple<counted_addresses<ipv4_address>, counted_addresses<ipv6_address>> addresses_;
};

// The values by their counts, the largest first, with their shares of all; at most `top`, or all if it is 0.
// In the form of the rows: CSV and TSV with a header, objects of NDJSON, or for lines and logs text in
// columns. `name` is that of the column; `type` that of its values.
std::string write_counts(const value_counts& counts, row_kind kind, const std::string& name, column_type type,
                         std::uint64_t top);

} // namespace fingerpost::cli::enrich
