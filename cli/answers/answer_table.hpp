// A lookup table that any number of threads can share.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/answers/answer_values.hpp"
#include "cli/answers/route_finder.hpp"
#include "fingerpost/image/image.hpp"
#include "fingerpost/net/any.hpp"
#include "fingerpost/net/mapped.hpp"
#include "fingerpost/registry/registry.hpp"
#include "io/source/any_table.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {

// The table of one family. Its FIB answers with a route number, so that one lookup yields both prefix and
// next hop. The table never changes, so threads can share it without locks.
template <class A>
class family_table {
  public:
    // Throws failure if the scheme cannot hold the table.
    family_table(io::loaded_table<A> table, const scheme_entry<A>& scheme);
    // Looks up in the image's FIB and finds the matching routes. `columns` lists the columns of answers.
    family_table(image<A> saved, const std::vector<std::string>& columns);

    std::size_t size() const noexcept { return saved_ ? saved_->size() : hops_.size(); }
    // Size of the data that lookups read; the whole file for an image.
    std::size_t memory_bytes() const { return saved_ ? saved_->memory_bytes() : fib_->memory_bytes(); }
    // Stores the number of the matching route for each address, or `none`. `matches` is as long as
    // `addresses`.
    void look_up(std::span<const A> addresses, std::span<next_hop> matches) const noexcept {
        if (!saved_)
            return fib_->lookup(addresses, matches);
        saved_->lookup(addresses, matches);
        finder_->find(addresses, matches);
    }
    // The prefix of a route that look_up() found. Routes are numbered in prefix order.
    prefix<A> prefix_of(next_hop match) const noexcept {
        return saved_ ? saved_->routes()[match.id].where : routes_.sorted()[match.id].where;
    }
    // The length of the longest match, if there is one.
    std::optional<unsigned> match_length(A address) const noexcept {
        next_hop match;
        look_up(std::span(&address, 1), std::span(&match, 1));
        return match == next_hop::none ? std::nullopt : std::optional<unsigned>(prefix_of(match).length);
    }
    // Whether the prefix contains any routes.
    bool has_within(const prefix<A>& where) const noexcept;
    // Replaces `into` by the numbers of all routes that cover this address, shortest first.
    void find_covers(A address, std::vector<next_hop>& into) const;
    // The route's row in values().
    next_hop row_of(next_hop match) const noexcept {
        return saved_ ? saved_->routes()[match.id].hop : hops_[match.id];
    }
    const answer_values& values() const noexcept { return values_; }

    // The FIB that look_up() uses. It answers with route numbers, or with row numbers for an image.
    const any_fib<A>& fib() const noexcept { return saved_ ? saved_->fib() : *fib_; }
    next_hop fib_answer(next_hop match) const noexcept { return saved_ ? row_of(match) : match; }
    next_hop row_of_fib(next_hop answer) const noexcept { return saved_ ? answer : row_of(answer); }
    // The scheme that built the FIB.
    const scheme_entry<A>& scheme() const noexcept { return *scheme_; }
    // All routes in prefix order; their next hops are row numbers. Throws std::bad_alloc.
    std::vector<route<A>> copy_routes() const;

  private:
    // The number of the first route before `end` that passes the test, or `end`. All later routes must pass
    // it too.
    template <class Test>
    std::size_t first_route(std::size_t end, Test test) const noexcept;
    static std::vector<next_hop> file_hops(std::vector<route<A>>& routes);
    static fib_pointer<A> build(const fingerpost::routes<A>& routes, const scheme_entry<A>& scheme);

    const scheme_entry<A>* scheme_;
    // For a table that was read from a file.
    std::vector<next_hop> hops_; // next hops of the table, by route number
    value_rows rows_;
    fingerpost::routes<A> routes_{std::vector<route<A>>()};
    fib_pointer<A> fib_;
    // For an image.
    std::optional<image<A>> saved_;
    std::optional<route_finder<A>> finder_;
    answer_values values_;
};

// The lookup tables of both families. Threads can share it.
class answer_table {
  public:
    // If `only` is set, the other family cannot be looked up. Throws usage_error if the scheme does not serve
    // a family that has routes.
    answer_table(io::both_tables tables, std::optional<family> only, const std::string& scheme);
    // Takes the result of find_tables() for this choice. An image is used as it is, unless another scheme is
    // requested; then its routes are copied. Also throws failure for missing columns.
    answer_table(io::found_tables tables, const table_choice& choice, const std::string& scheme);

    // nullptr if the family cannot be looked up.
    const family_table<ipv4_address>* ipv4() const noexcept { return ipv4_ ? &*ipv4_ : nullptr; }
    const family_table<ipv6_address>* ipv6() const noexcept { return ipv6_ ? &*ipv6_ : nullptr; }
    // Whether there are IPv6 routes within ::ffff:0:0/96, which also answer for IPv4 addresses.
    bool has_mapped() const noexcept { return has_mapped_; }
    // The form in which an address is looked up (in_answering_form() of net/mapped.hpp).
    fingerpost::any_address answering_form(const fingerpost::any_address& address) const noexcept;
    // IPv6 blocks that the IPv4 routes answer for, besides mapped addresses.
    ipv4_aliases aliases() const noexcept { return aliases_; }
    // The names of the value columns, which both families share.
    std::vector<std::string> columns() const;

  private:
    void build(io::both_tables tables, std::optional<family> only, const std::string& scheme);
    void map(both_images images, const table_choice& choice);

    std::optional<family_table<ipv4_address>> ipv4_;
    std::optional<family_table<ipv6_address>> ipv6_;
    bool has_mapped_ = false;
    std::vector<ipv6_prefix> aliases_;
};

// Whether all images of a file have this scheme. An empty name means any scheme.
bool are_of_scheme(const both_images& images, const std::string& name);

} // namespace fingerpost::cli
