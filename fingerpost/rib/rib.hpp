// The exact table that owns the truth: prefixes and their next hops, ordered and mutable.
//
// A RIB answers what a FIB would have to ask (covers, covered routes, what a change decides) and gives FIBs
// their input; it is not made for fast lookup. Prefixes are stored canonical, bits past their length are
// cleared on the way in. Not for several threads at once. When an operation fails, nothing has changed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/reason.hpp"
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

// Makes loaded routes canonical and sorts them; of equal prefixes the last one stays. errc::invalid for the
// next hop none and for lengths above the width. Throws std::bad_alloc.
template <class A>
expected<load_counts> put_in_order(std::vector<route<A>>& loaded) {
    for (route<A>& r : loaded) {
        if (r.hop == next_hop::none || r.where.length > A::bits)
            return unexpected{errc::invalid};
        r.where = prefix<A>::make(r.where.base, r.where.length);
    }
    const auto before = [](const route<A>& a, const route<A>& b) { return a.where < b.where; };
    if (!std::is_sorted(loaded.begin(), loaded.end(), before))
        std::stable_sort(loaded.begin(), loaded.end(), before);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < loaded.size(); ++i) {
        if (kept > 0 && loaded[kept - 1].where == loaded[i].where)
            --kept;
        loaded[kept++] = loaded[i];
    }
    const load_counts counts{kept, loaded.size() - kept};
    loaded.resize(kept);
    return counts;
}

template <class A>
class rib {
  public:
    using iterator = typename path_trie<A>::iterator;
    using range = typename path_trie<A>::range;
    using neighbours = typename path_trie<A>::neighbours;

    rib() = default;
    // So many routes at most, for tests: errc::capacity tells of the one too many.
    explicit rib(std::size_t most_routes) noexcept : trie_(most_routes) {}

    std::size_t size() const noexcept { return trie_.size(); }
    bool empty() const noexcept { return size() == 0; }
    std::size_t memory_bytes() const noexcept { return sizeof *this + trie_.memory_bytes(); }
    void clear() noexcept { trie_.clear(); }

    // Adds or replaces a route; returns the next hop it had, none when the prefix is new. errc::invalid for
    // the next hop none and for lengths above the width.
    expected<next_hop> insert(prefix<A> p, next_hop hop) noexcept {
        if (hop == next_hop::none || p.length > A::bits)
            return unexpected{errc::invalid};
        return trie_.insert(canonical(p), hop);
    }
    // Removes a route; returns the next hop it had, or errc::not_found.
    expected<next_hop> erase(prefix<A> p) noexcept {
        if (p.length > A::bits)
            return unexpected{errc::invalid};
        return trie_.erase(canonical(p));
    }

    // Exact match; none when the prefix is not there.
    next_hop get(prefix<A> p) const noexcept {
        return p.length > A::bits ? next_hop::none : trie_.get(canonical(p));
    }
    // Longest match.
    next_hop lookup(A a) const noexcept { return trie_.lookup(a); }
    std::optional<route<A>> match(A a) const noexcept { return trie_.match(a); }

    // The longest route that is shorter than `p` and covers it.
    std::optional<route<A>> cover(prefix<A> p) const noexcept {
        if (p.length == 0)
            return std::nullopt;
        return trie_.match(p.base, p.length - 1u);
    }
    // Calls visit(route) for all routes shorter than `p` that cover it, shortest first or longest first.
    template <class Visit>
    void covering(prefix<A> p, Visit visit) const {
        trie_.for_each_cover(canonical(p), std::move(visit));
    }
    template <class Visit>
    void covering_upwards(prefix<A> p, Visit visit) const {
        trie_.for_each_cover_upwards(canonical(p), std::move(visit));
    }
    // Routes that `p` covers in prefix order, its own among them: for (route<A> r : rib.covered(p)).
    range covered(prefix<A> p) const noexcept { return trie_.covered(canonical(p)); }
    // Those of them after `last`, which need not be there: for walks in pieces.
    range covered_after(prefix<A> p, prefix<A> last) const noexcept {
        return trie_.covered_after(canonical(p), canonical(last));
    }
    // All routes in prefix order. A change of the RIB ends every iteration.
    iterator begin() const noexcept { return trie_.all().begin(); }
    std::default_sentinel_t end() const noexcept { return {}; }

    // Replaces the whole table by these routes, in any order; of equal prefixes the last one wins.
    expected<load_counts> assign(std::vector<route<A>> loaded) noexcept;
    // A copy of the table for FIB builders. Throws std::bad_alloc.
    routes<A> to_routes() const {
        std::vector<route<A>> sorted;
        sorted.reserve(size());
        for (const route<A>& r : *this)
            sorted.push_back(r);
        return routes<A>(std::move(sorted));
    }

    // As insert and erase, and say what that changes. A route announced again with its own next hop is a
    // change too, with the same `before` and `after`. O(bits + routes that `p` covers and no other route
    // does).
    expected<change<A>> announce(prefix<A> p, next_hop hop) noexcept {
        if (hop == next_hop::none || p.length > A::bits)
            return unexpected{errc::invalid};
        return perform(canonical(p), hop);
    }
    expected<change<A>> withdraw(prefix<A> p) noexcept {
        if (p.length > A::bits)
            return unexpected{errc::invalid};
        if (get(p) == next_hop::none)
            return unexpected{errc::not_found};
        return perform(canonical(p), next_hop::none);
    }

    // As many prefixes as are worth asking about at a time.
    static constexpr std::size_t together = 64;
    // What is around each of these prefixes, which are canonical; `found` is as long. Much faster for several
    // at a time than one by one, and what is read stays near for changes of these prefixes.
    void find_neighbours(std::span<const prefix<A>> sought, std::span<neighbours> found) const noexcept {
        trie_.find_neighbours(sought, found);
    }

    // What a FIB must be told when it had `before` for this prefix and is to have what is here now:
    // `affected_ranges` and `cover` are as they are now. Throws std::bad_alloc.
    change<A> describe(prefix<A> p, next_hop before) const {
        p = canonical(p);
        change<A> told;
        describe(p, before, find_neighbours(p), told);
        return told;
    }
    // The same of a canonical prefix, given what is around it, into a change that was used before, with the
    // memory that it has. What is shorter than `min_length_with_ranges` is told without the ranges that it
    // decides.
    void describe(const prefix<A>& p, next_hop before, const neighbours& around, change<A>& told,
                  unsigned min_length_with_ranges = 0) const {
        told.where = p;
        told.before = before;
        told.after = around.hop;
        told.cover = around.cover;
        told.cover_length = around.cover_length;
        told.affected_ranges.clear();
        if (p.length >= min_length_with_ranges)
            find_affected_ranges(p, around.covers_nothing, told.affected_ranges);
    }
    // Gives memory back that erased routes have left unused. Ends every iteration.
    void compact() noexcept { trie_.compact(); }

  private:
    static prefix<A> canonical(prefix<A> p) noexcept { return prefix<A>::make(p.base, p.length); }
    neighbours find_neighbours(const prefix<A>& p) const noexcept {
        neighbours found;
        find_neighbours({&p, 1}, {&found, 1});
        return found;
    }
    expected<change<A>> perform(const prefix<A>& p, next_hop after) noexcept;
    void find_affected_ranges(const prefix<A>& p, bool covers_nothing,
                              std::vector<address_range<A>>& gaps) const;

    path_trie<A> trie_;
};

// The gaps that the topmost routes below `p` leave. They are disjoint and ascending; `from` is the first
// address that none of them has reached, and the last address of the space needs no address after it.
template <class A>
void rib<A>::find_affected_ranges(const prefix<A>& p, bool covers_nothing,
                                  std::vector<address_range<A>>& gaps) const {
    using value = typename A::value_type;
    if (covers_nothing)
        return gaps.push_back({p.first(), p.last()});
    A from = p.first();
    iterator i = trie_.covered(p).begin();
    if (i != end() && (*i).where == p)
        ++i;
    for (; i != end(); i.skip_covered()) {
        const prefix<A> hole = (*i).where;
        if (from < hole.first())
            gaps.push_back({from, A{static_cast<value>(hole.first().value - 1)}});
        if (hole.last() == p.last())
            return;
        from = A{static_cast<value>(hole.last().value + 1)};
    }
    gaps.push_back({from, p.last()});
}

// Everything that can fail comes before the one step that changes the trie.
template <class A>
expected<change<A>> rib<A>::perform(const prefix<A>& p, next_hop after) noexcept try {
    change<A> told;
    describe(p, next_hop::none, find_neighbours(p), told);
    told.after = after;
    const expected<next_hop> before = after == next_hop::none ? trie_.erase(p) : trie_.insert(p, after);
    if (!before)
        return unexpected{before.error()};
    told.before = *before;
    return told;
} catch (...) {
    return unexpected{reason_of_exception()};
}

template <class A>
expected<load_counts> rib<A>::assign(std::vector<route<A>> loaded) noexcept try {
    const auto counts = put_in_order(loaded);
    if (!counts)
        return counts;
    if (const errc failure = trie_.build(loaded); failure != errc::ok)
        return unexpected{failure};
    return counts;
} catch (...) {
    return unexpected{reason_of_exception()};
}

// Compiled once, in the library.
extern template class rib<ipv4_address>;
extern template class rib<ipv6_address>;

} // namespace fingerpost
