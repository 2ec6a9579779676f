// A table for lookups by any number of threads.
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

// The table of one family. Its FIB answers with the number of a route, so that one lookup gives both the
// prefix and the next hop. It never changes, so any number of threads may use it at the same time.
template <class A>
class family_table {
  public:
    // Throws failure if the scheme cannot hold the table.
    family_table(io::loaded_table<A> table, const scheme_entry<A>& scheme);
    // Asks the FIB of the image, and finds the routes of its matches. `columns`: those that answers have.
    family_table(image<A> saved, const std::vector<std::string>& columns);

    std::size_t size() const noexcept { return saved_ ? saved_->size() : hops_.size(); }
    // What lookups read; of an image the whole file.
    std::size_t memory_bytes() const { return saved_ ? saved_->memory_bytes() : fib_->memory_bytes(); }
    // The numbers of the routes that match, none without one. `matches` is as long as `addresses`.
    void look_up(std::span<const A> addresses, std::span<next_hop> matches) const noexcept {
        if (!saved_)
            return fib_->lookup(addresses, matches);
        saved_->lookup(addresses, matches);
        finder_->find(addresses, matches);
    }
    // Of the route that look_up() has found. Numbers are in prefix order.
    prefix<A> prefix_of(next_hop match) const noexcept {
        return saved_ ? saved_->routes()[match.id].where : routes_.sorted()[match.id].where;
    }
    // The length of the longest match; nothing without one.
    std::optional<unsigned> match_length(A address) const noexcept {
        next_hop match;
        look_up(std::span(&address, 1), std::span(&match, 1));
        return match == next_hop::none ? std::nullopt : std::optional<unsigned>(prefix_of(match).length);
    }
    // Whether there are routes within this prefix.
    bool has_within(const prefix<A>& where) const noexcept;
    // The numbers of all routes with this address in them, the shortest first. They take the place of what
    // `into` has.
    void find_covers(A address, std::vector<next_hop>& into) const;
    // The number of its row in values().
    next_hop row_of(next_hop match) const noexcept {
        return saved_ ? saved_->routes()[match.id].hop : hops_[match.id];
    }
    const answer_values& values() const noexcept { return values_; }

    // What look_up() asks. Its answers are numbers of routes or, of an image, of rows.
    const any_fib<A>& fib() const noexcept { return saved_ ? saved_->fib() : *fib_; }
    next_hop fib_answer(next_hop match) const noexcept { return saved_ ? row_of(match) : match; }
    next_hop row_of_fib(next_hop answer) const noexcept { return saved_ ? answer : row_of(answer); }
    // How the FIB was built.
    const scheme_entry<A>& scheme() const noexcept { return *scheme_; }
    // In prefix order; the next hops are numbers of rows. Throws std::bad_alloc.
    std::vector<route<A>> copy_routes() const;

  private:
    // The number of the first route in prefix order that passes the test, as all later ones up to `end` do;
    // `end` if none does.
    template <class Test>
    std::size_t first_route(std::size_t end, Test test) const noexcept;
    static std::vector<next_hop> file_hops(std::vector<route<A>>& routes);
    static fib_pointer<A> build(const fingerpost::routes<A>& routes, const scheme_entry<A>& scheme);

    const scheme_entry<A>* scheme_;
    // Of a table that was read.
    std::vector<next_hop> hops_; // by the number of the route, as the table has them
    value_rows rows_;
    fingerpost::routes<A> routes_{std::vector<route<A>>()};
    fib_pointer<A> fib_;
    // Of an image.
    std::optional<image<A>> saved_;
    std::optional<route_finder<A>> finder_;
    answer_values values_;
};

// The tables for lookups; threads can share it, as they can its families.
class answer_table {
  public:
    // A family that is not given cannot be looked up. Throws usage_error if the scheme does not serve a
    // family that has routes.
    answer_table(io::both_tables tables, std::optional<family> only, const std::string& scheme);
    // What find_tables() has found for this choice. An image is used as it is unless another scheme is asked
    // for, for which its routes are copied. Throws failure, too, for columns that it has not.
    answer_table(io::found_tables tables, const table_choice& choice, const std::string& scheme);

    // nullptr if the family cannot be looked up.
    const family_table<ipv4_address>* ipv4() const noexcept { return ipv4_ ? &*ipv4_ : nullptr; }
    const family_table<ipv6_address>* ipv6() const noexcept { return ipv6_ ? &*ipv6_ : nullptr; }
    // Whether it has IPv6 routes within ::ffff:0:0/96, which answer for IPv4 addresses too.
    bool has_mapped() const noexcept { return has_mapped_; }
    // The form of an address that is to be looked up (in_answering_form() of net/mapped.hpp).
    fingerpost::any_address answering_form(const fingerpost::any_address& given) const noexcept;
    // Blocks of IPv6 that the IPv4 routes answer for, besides mapped addresses.
    ipv4_aliases aliases() const noexcept { return aliases_; }
    // The names of the values, which are the same for both families.
    std::vector<std::string> columns() const;

  private:
    void build(io::both_tables tables, std::optional<family> only, const std::string& scheme);
    void map(both_images images, const table_choice& choice);

    std::optional<family_table<ipv4_address>> ipv4_;
    std::optional<family_table<ipv6_address>> ipv6_;
    bool has_mapped_ = false;
    std::vector<ipv6_prefix> aliases_;
};

// Whether all images of a file have the scheme of this name. The empty name is that of any scheme.
bool are_of_scheme(const both_images& images, const std::string& name);

} // namespace fingerpost::cli
