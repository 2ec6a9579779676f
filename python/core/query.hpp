// Vector lookups in a table: next hops or numbers of routes, for many addresses, in several threads.
//
//      query lookups(table, ask::hops, rows);       with the GIL
//      ... one address_reader per thread, without the GIL ...
//      lookups.settle();                            with the GIL again: values of the results
//      lookups.value_of<ipv4_address>(hop) ...
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <span>
#include <string>
#include <vector>

#include "fingerpost/columns/address_reader.hpp"
#include "python/core/shared_table.hpp"

namespace fingerpost::python {

enum class ask : std::uint8_t {
    hops,   // next hops
    routes, // numbers of routes, to get prefixes and lengths; each family is numbered separately
};

using columns::address_reader;
using columns::long_routes;

// The numbered routes of a family, or null. Numbers them if there have been enough queries to be worth it,
// and counts as a query for one route. Needs the GIL, and releases it while numbering. The result is valid
// until the GIL is next released.
template <class A>
const numbered_routes<A>* routes_by_number(const std::shared_ptr<shared_table>& of);

// Create, settle, read and destroy it with the GIL. It must outlive its address_readers. The values of
// results stay alive until it is destroyed.
class query {
  public:
    // `rows` is the number of addresses to look up. It determines the method of finding routes. Releases the
    // GIL while building. Raises MemoryError or fingerpost.Error. With `of_prefixes`, the rows are prefixes.
    query(std::shared_ptr<shared_table> of, ask what, std::size_t rows, bool of_prefixes = false);
    query(const query&) = delete;
    query& operator=(const query&) = delete;

    // Needs no GIL. Throws std::bad_alloc.
    std::unique_ptr<address_reader> join();

    value_kind kind() const noexcept { return kept_.table().kind(); }
    // Empty unless the kind is rows.
    const std::vector<std::string>& columns() const noexcept { return kept_.table().columns(); }

    // Type of a column. Only for kind rows.
    column_type type(std::size_t column) const noexcept { return kept_.table().types()[column]; }

    // Call this after the last lookup and before the functions below.
    void settle();
    // For ask::routes: the route with a number that a lookup returned.
    template <class A>
    const route<A>& route_of(next_hop number) const noexcept;
    // For kind rows: the rows that next hops of this family refer to. Texts are valid as long as the query,
    // also without the GIL. In a damaged image, next hops may be out of range: compare with rows().
    template <class A>
    const value_view& rows() const noexcept;
    // For kind rows: the memory of the texts of rows<A>(), which may outlive the query. Threads without the
    // GIL may release it.
    template <class A>
    std::shared_ptr<const char> texts() const;
    // For kind rows: an offset for `index` that makes the numbers of both families different. It is 0 except
    // for IPv6 in an image with separate rows for each family.
    template <class A>
    std::uint32_t first_index() const noexcept;
    // For kind object: a borrowed reference.
    PyObject* object_of(next_hop hop) const noexcept { return kept_.table().values().objects()[hop]; }
    // For any kind: a new reference to the value that lookup() returns.
    template <class A>
    PyObject* value_of(next_hop hop) const {
        return kept_.table().value_of<A>(hop);
    }

  private:
    class any_reader;
    class hop_reader;
    class number_reader;
    class match_reader;
    // Routes of one family, for ask::routes.
    template <class A>
    struct numbers_of {
        std::shared_ptr<const numbered_routes<A>> numbered;
        // Alternatively the routes that match_reader has found, in the order of their numbers.
        std::vector<route<A>> matches;
    };

    template <class A>
    numbers_of<A>& numbers() noexcept;
    template <class A>
    void number_routes();

    kept_values kept_;
    ask what_;
    bool by_match_ = false;
    std::mutex matches_mutex_; // guards `matches` of both families
    numbers_of<ipv4_address> ipv4_;
    numbers_of<ipv6_address> ipv6_;
    std::shared_ptr<const value_rows> live_rows_;
    value_view rows4_;
    value_view rows6_;
};

template <>
const value_view& query::rows<ipv4_address>() const noexcept;
template <>
const value_view& query::rows<ipv6_address>() const noexcept;
template <>
std::uint32_t query::first_index<ipv4_address>() const noexcept;
template <>
std::uint32_t query::first_index<ipv6_address>() const noexcept;

} // namespace fingerpost::python
