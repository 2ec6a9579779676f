// What vector lookups ask of a table: next hops, or routes by number, for many addresses, in several threads.
//
//      question asked(table, ask::hops, rows);        with the GIL
//      ... one asker for each thread, without it ...
//      asked.settle();                                with the GIL again: what the answers stand for
//      asked.value_of<ipv4_address>(hop) ...
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <span>
#include <string>
#include <vector>

#include "python/core/shared_table.hpp"

namespace fingerpost::python {

enum class ask : std::uint8_t {
    hops,   // next hops
    routes, // numbers of routes, for prefixes and their lengths; each family has its own numbering
};

// A worker thread's access to the answers, without the GIL. `out` is at least as long as `in`; next_hop::none
// is no match. A batch is answered by one version of the table, the newest. Some thousand addresses are a
// good batch, because a writer may wait for its end.
class asker {
  public:
    asker() = default;
    asker(const asker&) = delete;
    asker& operator=(const asker&) = delete;
    virtual ~asker() = default;

    // Throws std::bad_alloc.
    virtual void lookup(std::span<const ipv4_address> in, std::span<next_hop> out) = 0;
    virtual void lookup(std::span<const ipv6_address> in, std::span<next_hop> out) = 0;
    // IPv6 addresses by their first and their low halves. If `low` is empty, throws long_routes if the table
    // has a route longer than /64.
    virtual void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                               std::span<next_hop> out) = 0;
};
struct long_routes : std::exception {
    const char* what() const noexcept override { return "the table has routes longer than /64"; }
};

// The routes of a family by number, if they are known for the present table, or were asked for so often that
// numbering pays off; otherwise null. Needs the GIL, and releases it while numbering; the result is valid
// until the GIL is next released. Counts as a question for one route.
template <class A>
const numbered_routes<A>* routes_by_number(const std::shared_ptr<shared_table>& of);

// Made, settled, read and destroyed with the GIL; must outlive its askers. Values that an answer may refer to
// stay alive until it is destroyed.
class question {
  public:
    // `rows` is the number of addresses that will be looked up; it decides how routes are found. Releases the
    // GIL while it builds. Raises MemoryError or fingerpost.Error.
    question(std::shared_ptr<shared_table> of, ask what, std::size_t rows);
    question(const question&) = delete;
    question& operator=(const question&) = delete;

    // Needs no GIL. Throws std::bad_alloc.
    std::unique_ptr<asker> join();

    value_kind kind() const noexcept { return kept_.table().kind(); }
    // Empty except for rows.
    const std::vector<std::string>& columns() const noexcept { return kept_.table().columns(); }

    // Call it after the last lookup and before the functions below.
    void settle();
    // For ask::routes: the route with a number that a lookup has answered.
    template <class A>
    const route<A>& route_of(next_hop number) const noexcept;
    // For kind rows: the rows that next hops of this family refer to. Texts are valid as long as the
    // question, also without the GIL. In a damaged image a next hop may be no row: compare with rows().
    template <class A>
    const value_view& rows() const noexcept;
    // For kind rows: an offset that makes the numbers of both families different, for `index`. It is not 0
    // only for IPv6 in an image with separate rows for each family.
    template <class A>
    std::uint32_t first_index() const noexcept;
    // For kind object: borrowed.
    PyObject* object_of(next_hop hop) const noexcept { return kept_.table().values().objects()[hop]; }
    // For any kind, in the form that lookup() returns: a new reference.
    template <class A>
    PyObject* value_of(next_hop hop) const {
        return kept_.table().value_of<A>(hop);
    }

  private:
    class hop_asker;
    class number_asker;
    class match_asker;
    // For one family, for ask::routes.
    template <class A>
    struct found_routes {
        std::shared_ptr<const numbered_routes<A>> numbered;
        // Or the routes that match_asker has found, in the order of their numbers.
        std::vector<route<A>> met;
    };

    template <class A>
    found_routes<A>& found() noexcept;
    template <class A>
    void number_routes();

    kept_values kept_;
    ask what_;
    bool by_match_ = false;
    std::mutex meeting_; // guards the found routes
    found_routes<ipv4_address> ipv4_;
    found_routes<ipv6_address> ipv6_;
    std::shared_ptr<const value_rows> live_rows_;
    value_view rows4_;
    value_view rows6_;
};

template <>
const value_view& question::rows<ipv4_address>() const noexcept;
template <>
const value_view& question::rows<ipv6_address>() const noexcept;
template <>
std::uint32_t question::first_index<ipv4_address>() const noexcept;
template <>
std::uint32_t question::first_index<ipv6_address>() const noexcept;

} // namespace fingerpost::python
