// The exact routing table: prefixes and their next hops, ordered and mutable.
//
// A RIB answers the queries that a FIB cannot (covers, covered routes, effects of a change) and is the input
// of FIB builders. It is not designed for fast lookup. Prefixes are stored in canonical form: bits past their
// length are cleared. It must be used by one thread at a time. A call that fails changes nothing:
// errc::invalid for next_hop::none and for a length above the width, errc::out_of_memory, and errc::capacity
// from 2^31 - 1 routes on.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/route.hpp"
#include "fingerpost/rib/change.hpp"
#include "fingerpost/rib/path_trie.hpp"
#include "fingerpost/rib/routes.hpp"

namespace fingerpost {

// Result of rib::assign: the number of routes in the table, and of input routes that a later one with the
// same prefix replaced.
struct load_counts {
    std::size_t routes = 0;
    std::size_t duplicates = 0;
};

// Makes routes canonical and sorts them. Of several routes with one prefix, keeps the last one. Throws
// std::bad_alloc.
template <class A>
expected<load_counts> put_in_order(std::vector<route<A>>& loaded);

template <class A>
class rib {
  public:
    using iterator = typename path_trie<A>::iterator;
    using range = typename path_trie<A>::range;
    using neighbours = typename path_trie<A>::neighbours;

    rib() = default;
    // Limits the number of routes, for tests of errc::capacity.
    explicit rib(std::size_t most_routes) noexcept : trie_(most_routes) {}

    std::size_t size() const noexcept { return trie_.size(); }
    bool empty() const noexcept { return size() == 0; }
    std::size_t memory_bytes() const noexcept { return sizeof *this + trie_.memory_bytes(); }
    void clear() noexcept { trie_.clear(); }

    // Adds or replaces a route. Returns its previous next hop, or none if the prefix is new.
    expected<next_hop> insert(prefix<A> p, next_hop hop) noexcept;
    // Removes a route. Returns its next hop, or errc::not_found.
    expected<next_hop> erase(prefix<A> p) noexcept;

    // Exact match. Returns none if there is no such route.
    next_hop get(prefix<A> p) const noexcept;
    // Longest match.
    next_hop lookup(A a) const noexcept { return trie_.lookup(a); }
    std::optional<route<A>> match(A a) const noexcept { return trie_.match(a); }
    // Longest route that covers `p` and is shorter than it.
    std::optional<route<A>> cover(prefix<A> p) const noexcept;
    // Call visit(route) for all routes that cover `p` and are shorter than it, shortest or longest first.
    template <class Visit>
    void covering(prefix<A> p, Visit visit) const {
        trie_.for_each_cover(canonical(p), std::move(visit));
    }
    template <class Visit>
    void covering_upwards(prefix<A> p, Visit visit) const {
        trie_.for_each_cover_upwards(canonical(p), std::move(visit));
    }

    // Calls visit(route), in prefix order, for the routes inside `p` that no other route inside `p` covers.
    // Excludes the route of `p`.
    template <class Visit>
    void children(prefix<A> p, Visit visit) const {
        p = canonical(p);
        for (auto at = trie_.covered_after(p, p).begin(); at != end_of_routes{};) {
            const route<A> child = *at;
            visit(child);
            at = trie_.covered_after(p, prefix<A>::make(child.where.last(), A::bits)).begin();
        }
    }
    // Longest route that covers `p`, possibly `p` itself.
    std::optional<route<A>> match_prefix(prefix<A> p) const noexcept { return trie_.match(p.base, p.length); }
    // True if a route and `p` have addresses in common.
    bool overlaps(prefix<A> p) const noexcept {
        return match_prefix(p).has_value() || covered(p).begin() != end_of_routes{};
    }

    // Iteration in prefix order over all routes, over those inside `p` including its own, or over those
    // inside `p` that follow `last`, which need not exist: for (route<A> r : rib.covered(p)). Changes of the
    // RIB invalidate all iterators.
    iterator begin() const noexcept { return trie_.routes().begin(); }
    end_of_routes end() const noexcept { return {}; }
    range covered(prefix<A> p) const noexcept { return trie_.covered(canonical(p)); }
    range covered_after(prefix<A> p, prefix<A> last) const noexcept {
        return trie_.covered_after(canonical(p), canonical(last));
    }

    // Replaces the whole table by these routes, in any order. If a prefix occurs several times, the last
    // occurrence counts.
    expected<load_counts> assign(std::vector<route<A>> loaded) noexcept;
    // Returns a copy of the table for FIB builders. Throws std::bad_alloc.
    routes<A> to_routes() const;

    // Like insert() and erase(), but return the resulting change. Announcing a route again with its current
    // next hop is also a change, with equal `before` and `after`. O(bits + routes below `p` that no longer
    // route covers).
    expected<change<A>> announce(prefix<A> p, next_hop hop) noexcept;
    expected<change<A>> withdraw(prefix<A> p) noexcept;

    // Number of prefixes to query together.
    static constexpr std::size_t together = 64;
    // Finds the surroundings of each of these canonical prefixes. `results` is as long as `sought`. Several
    // prefixes together are much faster than single ones. This also loads the memory that changes of these
    // prefixes read into the cache.
    void find_neighbours(std::span<const prefix<A>> sought, std::span<neighbours> results) const noexcept {
        trie_.find_neighbours(sought, results);
    }
    // The change that takes a FIB from `before` to the current next hop of this prefix, with the current
    // `affected_ranges` and `cover`. Throws std::bad_alloc.
    change<A> describe(prefix<A> p, next_hop before) const;
    // Computes the change for a canonical prefix with known neighbours, and reuses the memory of `result`.
    // Prefixes shorter than `min_length_with_ranges` get no ranges.
    void describe(const prefix<A>& p, next_hop before, const neighbours& around, change<A>& result,
                  unsigned min_length_with_ranges = 0) const;

    // Frees memory that erased routes have left unused. Invalidates all iterators.
    void compact() noexcept { trie_.compact(); }

  private:
    static prefix<A> canonical(prefix<A> p) noexcept { return prefix<A>::make(p.base, p.length); }
    neighbours find_neighbours(const prefix<A>& p) const noexcept;
    expected<change<A>> perform(const prefix<A>& p, next_hop after) noexcept;
    void find_affected_ranges(const prefix<A>& p, bool covers_nothing,
                              std::vector<address_range<A>>& gaps) const;

    path_trie<A> trie_;
};

// Instantiated in the library. rib.inl.hpp has the definitions for other widths.
extern template expected<load_counts> put_in_order(std::vector<route<ipv4_address>>&);
extern template expected<load_counts> put_in_order(std::vector<route<ipv6_address>>&);
extern template class rib<ipv4_address>;
extern template class rib<ipv6_address>;

} // namespace fingerpost
