// What vector lookups ask of a table: next hops, or routes by number, for many addresses, in several threads.
//
//      query asked(table, ask::hops, rows);        with the GIL
//      ... one query_reader for each thread, without it ...
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

// A worker thread's way to the answers, without the GIL. `out` is at least as long as `in`; next_hop::none is
// no match. A batch is answered by one version of the table, the newest: some thousand addresses are a good
// batch, as a writer may wait for its end.
class query_reader {
  public:
    query_reader() = default;
    query_reader(const query_reader&) = delete;
    query_reader& operator=(const query_reader&) = delete;
    virtual ~query_reader() = default;

    // Throws std::bad_alloc.
    virtual void lookup(std::span<const ipv4_address> in, std::span<next_hop> out) = 0;
    virtual void lookup(std::span<const ipv6_address> in, std::span<next_hop> out) = 0;
    // IPv6 addresses by their first and their low halves. If `low` is empty, throws long_routes if the table
    // has a route longer than /64.
    virtual void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                               std::span<next_hop> out) = 0;
    // Whether addresses of these families may be answered in their other form, and the length of the longest
    // match, 0 without one, and the aliases: for in_answering_form() (net/mapped.hpp).
    virtual bool may_answer(ipv4_address) const noexcept = 0;
    virtual bool may_answer(ipv6_address) const noexcept = 0;
    virtual unsigned match_length(ipv6_address a) = 0;
    virtual ipv4_aliases aliases() const noexcept = 0;
};
struct long_routes : std::exception {
    const char* what() const noexcept override { return "the table has routes longer than /64"; }
};

// The routes of a family by number, if they are known for the table as it is now, or asked for so often that
// it pays to number them; else null. With the GIL, of which it lets go while it numbers them; what it returns
// lives until the GIL is let go of the next time. Counts as a query for one route.
template <class A>
const numbered_routes<A>* routes_by_number(const std::shared_ptr<shared_table>& of);

// Made, settled, read and destroyed with the GIL; outlives its query_readers. Values that an answer may name
// stay alive until it is destroyed.
class query {
  public:
    // `rows`: how many addresses will be looked up, which decides how routes are found. Lets go of the GIL
    // while it builds. Raises MemoryError or fingerpost.Error.
    query(std::shared_ptr<shared_table> of, ask what, std::size_t rows);
    query(const query&) = delete;
    query& operator=(const query&) = delete;

    // Without the GIL. Throws std::bad_alloc.
    std::unique_ptr<query_reader> join();

    value_kind kind() const noexcept { return kept_.table().kind(); }
    // Empty except for rows.
    const std::vector<std::string>& columns() const noexcept { return kept_.table().columns(); }

    // Of a column; for kind rows.
    column_type type(std::size_t column) const noexcept { return kept_.table().types()[column]; }

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
    class any_reader;
    class hop_reader;
    class image_reader;
    class number_reader;
    class match_reader;
    // Of one family, for ask::routes.
    template <class A>
    struct found_routes {
        std::shared_ptr<const numbered_routes<A>> numbered;
        // Or those that match_reader has met, in the order of their numbers.
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
const value_view& query::rows<ipv4_address>() const noexcept;
template <>
const value_view& query::rows<ipv6_address>() const noexcept;
template <>
std::uint32_t query::first_index<ipv4_address>() const noexcept;
template <>
std::uint32_t query::first_index<ipv6_address>() const noexcept;

} // namespace fingerpost::python
