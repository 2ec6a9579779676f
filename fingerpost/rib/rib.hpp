// The exact table: prefixes and their next hops, ordered and mutable.
//
// A RIB answers what a FIB would have to ask (covers, covered routes, what a change decides) and gives FIBs
// their input; it is not made for fast lookup. Prefixes are stored canonical: bits past their length are
// cleared on the way in. One thread at a time. A call that fails has changed nothing: errc::invalid for the
// next hop none and for lengths above the width, errc::out_of_memory, and errc::capacity from 2^31 - 1 routes
// on.
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

// What rib::assign did: routes now in the table, and input routes that a later one of the same prefix
// replaced.
struct load_counts {
    std::size_t routes = 0;
    std::size_t duplicates = 0;
};

// Makes routes canonical and sorts them; of equal prefixes the last one stays. Throws std::bad_alloc.
template <class A>
expected<load_counts> put_in_order(std::vector<route<A>>& loaded);

template <class A>
class rib {
  public:
    using iterator = typename path_trie<A>::iterator;
    using range = typename path_trie<A>::range;
    using neighbours = typename path_trie<A>::neighbours;

    rib() = default;
    // At most so many routes, for tests of errc::capacity.
    explicit rib(std::size_t most_routes) noexcept : trie_(most_routes) {}

    std::size_t size() const noexcept { return trie_.size(); }
    bool empty() const noexcept { return size() == 0; }
    std::size_t memory_bytes() const noexcept { return sizeof *this + trie_.memory_bytes(); }
    void clear() noexcept { trie_.clear(); }

    // Adds or replaces a route; returns the next hop it had, none if the prefix is new.
    expected<next_hop> insert(prefix<A> p, next_hop hop) noexcept;
    // Removes a route; returns the next hop it had, or errc::not_found.
    expected<next_hop> erase(prefix<A> p) noexcept;

    // Exact match; none if the prefix is not there.
    next_hop get(prefix<A> p) const noexcept;
    // Longest match.
    next_hop lookup(A a) const noexcept { return trie_.lookup(a); }
    std::optional<route<A>> match(A a) const noexcept { return trie_.match(a); }
    // The longest route that is shorter than `p` and covers it.
    std::optional<route<A>> cover(prefix<A> p) const noexcept;
    // Calls visit(route) for all routes shorter than `p` that cover it, shortest first or longest first.
    template <class Visit>
    void covering(prefix<A> p, Visit visit) const {
        trie_.for_each_cover(canonical(p), std::move(visit));
    }
    template <class Visit>
    void covering_upwards(prefix<A> p, Visit visit) const {
        trie_.for_each_cover_upwards(canonical(p), std::move(visit));
    }

    // Calls visit(route) for the routes inside `p`, without its own, that no other of them covers, in prefix
    // order.
    template <class Visit>
    void children(prefix<A> p, Visit visit) const {
        p = canonical(p);
        for (auto at = trie_.covered_after(p, p).begin(); at != end_of_routes{};) {
            const route<A> child = *at;
            visit(child);
            at = trie_.covered_after(p, prefix<A>::make(child.where.last(), A::bits)).begin();
        }
    }
    // The longest route that covers `p`, its own included.
    std::optional<route<A>> match_prefix(prefix<A> p) const noexcept {
        const next_hop own = get(p);
        return own != next_hop::none ? std::optional(route<A>{canonical(p), own}) : cover(p);
    }
    // Whether a route and `p` have addresses in common.
    bool overlaps(prefix<A> p) const noexcept {
        return match_prefix(p).has_value() || covered(p).begin() != end_of_routes{};
    }

    // All routes in prefix order, those inside `p` with its own, and of these the ones after `last`, which
    // need not be there: for (route<A> r : rib.covered(p)). A change of the RIB ends every iteration.
    iterator begin() const noexcept { return trie_.all().begin(); }
    end_of_routes end() const noexcept { return {}; }
    range covered(prefix<A> p) const noexcept { return trie_.covered(canonical(p)); }
    range covered_after(prefix<A> p, prefix<A> last) const noexcept {
        return trie_.covered_after(canonical(p), canonical(last));
    }

    // Replaces the whole table by these routes, in any order; of equal prefixes the last one wins.
    expected<load_counts> assign(std::vector<route<A>> loaded) noexcept;
    // A copy of the table for FIB builders. Throws std::bad_alloc.
    routes<A> to_routes() const;

    // Like insert and erase, and return what that changes. A route announced again with its own next hop is a
    // change too, with the same `before` and `after`. O(bits + routes that `p` covers and no other route
    // does).
    expected<change<A>> announce(prefix<A> p, next_hop hop) noexcept;
    expected<change<A>> withdraw(prefix<A> p) noexcept;

    // How many prefixes to ask about at a time.
    static constexpr std::size_t together = 64;
    // What is around each of these prefixes, which are canonical; `found` is as long. Much faster for several
    // at a time than one by one, and brings into cache what changes of these prefixes read.
    void find_neighbours(std::span<const prefix<A>> sought, std::span<neighbours> found) const noexcept {
        trie_.find_neighbours(sought, found);
    }
    // The change for a FIB that has `before` for this prefix and shall have what is here now;
    // `affected_ranges` and `cover` are as they are now. Throws std::bad_alloc.
    change<A> describe(prefix<A> p, next_hop before) const;
    // The same for a canonical prefix, given its neighbours. Reuses the memory of `told`. Prefixes shorter
    // than `min_length_with_ranges` get no ranges.
    void describe(const prefix<A>& p, next_hop before, const neighbours& around, change<A>& told,
                  unsigned min_length_with_ranges = 0) const;

    // Gives memory back that erased routes have left unused. Ends every iteration.
    void compact() noexcept { trie_.compact(); }

  private:
    static prefix<A> canonical(prefix<A> p) noexcept { return prefix<A>::make(p.base, p.length); }
    neighbours find_neighbours(const prefix<A>& p) const noexcept;
    expected<change<A>> perform(const prefix<A>& p, next_hop after) noexcept;
    void find_affected_ranges(const prefix<A>& p, bool covers_nothing,
                              std::vector<address_range<A>>& gaps) const;

    path_trie<A> trie_;
};

// Compiled once, in the library; rib.inl.hpp has the bodies for other widths.
extern template expected<load_counts> put_in_order(std::vector<route<ipv4_address>>&);
extern template expected<load_counts> put_in_order(std::vector<route<ipv6_address>>&);
extern template class rib<ipv4_address>;
extern template class rib<ipv6_address>;

} // namespace fingerpost
