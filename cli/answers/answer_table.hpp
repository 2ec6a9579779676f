// A table for lookups by any number of threads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/registry/registry.hpp"
#include "io/format/parts/table_data.hpp"

namespace fingerpost::cli {

// The table of one family. Its FIB answers with the number of a route, so that one lookup gives both the
// prefix and the next hop. It never changes, so any number of threads may use it at the same time.
template <class A>
class family_table {
  public:
    // Throws failure if the scheme cannot hold the table.
    family_table(io::loaded_table<A> table, const scheme_entry<A>& scheme);

    std::size_t size() const noexcept { return hops_.size(); }
    std::size_t memory_bytes() const { return fib_->memory_bytes(); }
    void look_up(std::span<const A> addresses, std::span<next_hop> matches) const noexcept {
        fib_->lookup(addresses, matches);
    }
    // In prefix order; look_up() returns indexes into it.
    std::span<const route<A>> routes() const noexcept { return routes_.sorted(); }
    // For the route that look_up() has found.
    const prefix<A>& prefix_of(next_hop match) const { return routes_.sorted()[match.id].where; }
    // The number of its row in values().
    next_hop row_of(next_hop match) const { return hops_[match.id]; }
    const value_rows& values() const noexcept { return values_; }

  private:
    static std::vector<next_hop> file_hops(std::vector<route<A>>& routes);
    static fib_pointer<A> build(const fingerpost::routes<A>& routes, const scheme_entry<A>& scheme);

    std::vector<next_hop> hops_; // by the number of the route, as the table has them
    value_rows values_;
    fingerpost::routes<A> routes_;
    fib_pointer<A> fib_;
};

// The tables for lookups; threads can share it, as they can its families.
class answer_table {
  public:
    // A family that is not given cannot be looked up. Throws usage_error if the scheme does not serve a
    // family that has routes.
    answer_table(io::both_tables tables, std::optional<family> only, const std::string& scheme);

    // nullptr if the family cannot be looked up.
    const family_table<ipv4_address>* ipv4() const noexcept { return ipv4_ ? &*ipv4_ : nullptr; }
    const family_table<ipv6_address>* ipv6() const noexcept { return ipv6_ ? &*ipv6_ : nullptr; }
    // The names of the values, which are the same for both families.
    std::vector<std::string> columns() const;

  private:
    std::optional<family_table<ipv4_address>> ipv4_;
    std::optional<family_table<ipv6_address>> ipv6_;
};

} // namespace fingerpost::cli
