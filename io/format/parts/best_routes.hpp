// Keeps the route with the smallest rank, for formats that list several routes for a prefix.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/values/rows.hpp"
#include "io/format/parts/route_taker.hpp"
#include "io/format/parts/table_columns.hpp"

namespace fingerpost::io {

// Ranks are compared from the first number on.
using route_rank = std::array<std::uint64_t, 7>;

// The routes of one family.
template <class A>
class best_routes {
  public:
    explicit best_routes(std::span<const std::string_view> columns) : rows_(columns) {}

    // The first of several routes with equal ranks stays.
    void add(const prefix<A>& where, const route_rank& rank, std::span<const std::string_view> cells,
             bool masked = false) {
        const auto [entry, is_new] = best_.try_emplace(where);
        if (!is_new) {
            ++beaten_;
            if (!(rank < entry->second.rank))
                return;
        }
        entry->second = {rank, rows_.intern(cells), masked};
    }
    // Adds all routes to the builder.
    void add_to(table_builder& builder) const {
        std::vector<std::string_view> cells(rows_.columns());
        for (const auto& [where, route] : best_) {
            for (std::size_t i = 0; i < cells.size(); ++i)
                cells[i] = rows_.cell(route.row, i);
            builder.add(where, cells, route.masked);
        }
    }
    bool empty() const noexcept { return best_.empty(); }
    // Number of routes that lost to a better one.
    std::uint64_t beaten() const noexcept { return beaten_; }

  private:
    struct ranked {
        route_rank rank;
        next_hop row;
        bool masked;
    };
    struct hash {
        std::size_t operator()(const prefix<A>& p) const noexcept {
            // Multiplying by the golden ratio spreads values that differ in few bits.
            constexpr std::uint64_t spread = 0x9e37'79b9'7f4a'7c15;
            std::uint64_t mixed = p.length;
            if constexpr (A::bits == 128)
                mixed = (mixed ^ static_cast<std::uint64_t>(p.base.value)) * spread;
            mixed = (mixed ^ top64(p.base)) * spread;
            return static_cast<std::size_t>(mixed ^ mixed >> 29);
        }
    };

    value_rows rows_;
    std::unordered_map<prefix<A>, ranked, hash> best_;
    std::uint64_t beaten_ = 0;
};

// The best routes of both families, with the options that all readers share.
class best_table {
  public:
    // Fails with an explanation if a requested value is not one of the columns.
    static expected<best_table, std::string> make(const table_options& options,
                                                  std::span<const std::string> columns);

    // `cells`: one for each column. Returns the fault of a prefix. Skips prefixes of the other family.
    std::optional<route_fault> add(std::string_view where, const route_rank& rank,
                                   std::span<const std::string_view> cells);

    // Counts a route that the input marks as unused, like one that lost to a better route.
    void leave_out() noexcept { ++not_used_; }

    // `left_out`: routes that were not compared, such as those of other routing tables.
    both_tables finish_both(std::uint64_t lines, std::uint64_t bad, std::uint64_t left_out = 0) &&;
    one_table finish(std::uint64_t lines, std::uint64_t bad, std::uint64_t left_out = 0) &&;

  private:
    best_table(const table_options& options, value_columns selection,
               std::span<const std::string_view> names);
    void build(std::uint64_t bad, std::uint64_t left_out);

    host_bits policy_;
    table_builder builder_;
    value_columns selection_;
    best_routes<ipv4_address> ipv4_;
    best_routes<ipv6_address> ipv6_;
    std::uint64_t not_used_ = 0;
};

} // namespace fingerpost::io
