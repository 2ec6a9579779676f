// Definitions of rib<A> members, for the library and for tests of other widths.
#pragma once

#include <algorithm>
#include <utility>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/rib/path_trie.inl.hpp"
#include "fingerpost/rib/rib.hpp"

namespace fingerpost {

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
    std::size_t count = 0;
    for (std::size_t i = 0; i < loaded.size(); ++i) {
        if (count > 0 && loaded[count - 1].where == loaded[i].where)
            --count;
        loaded[count++] = loaded[i];
    }
    const load_counts counts{count, loaded.size() - count};
    loaded.resize(count);
    return counts;
}

template <class A>
expected<next_hop> rib<A>::insert(prefix<A> p, next_hop hop) noexcept {
    if (hop == next_hop::none || p.length > A::bits)
        return unexpected{errc::invalid};
    return trie_.insert(canonical(p), hop);
}

template <class A>
expected<next_hop> rib<A>::erase(prefix<A> p) noexcept {
    if (p.length > A::bits)
        return unexpected{errc::invalid};
    return trie_.erase(canonical(p));
}

template <class A>
next_hop rib<A>::get(prefix<A> p) const noexcept {
    return p.length > A::bits ? next_hop::none : trie_.get(canonical(p));
}

template <class A>
std::optional<route<A>> rib<A>::cover(prefix<A> p) const noexcept {
    if (p.length == 0)
        return std::nullopt;
    return trie_.match(p.base, p.length - 1u);
}

template <class A>
routes<A> rib<A>::to_routes() const {
    std::vector<route<A>> sorted;
    sorted.reserve(size());
    for (const route<A>& r : *this)
        sorted.push_back(r);
    return routes<A>(std::move(sorted));
}

template <class A>
expected<change<A>> rib<A>::announce(prefix<A> p, next_hop hop) noexcept {
    if (hop == next_hop::none || p.length > A::bits)
        return unexpected{errc::invalid};
    return perform(canonical(p), hop);
}

template <class A>
expected<change<A>> rib<A>::withdraw(prefix<A> p) noexcept {
    if (p.length > A::bits)
        return unexpected{errc::invalid};
    if (get(p) == next_hop::none)
        return unexpected{errc::not_found};
    return perform(canonical(p), next_hop::none);
}

template <class A>
auto rib<A>::find_neighbours(const prefix<A>& p) const noexcept -> neighbours {
    neighbours result;
    find_neighbours({&p, 1}, {&result, 1});
    return result;
}

template <class A>
change<A> rib<A>::describe(prefix<A> p, next_hop before) const {
    p = canonical(p);
    change<A> result;
    describe(p, before, find_neighbours(p), result);
    return result;
}

template <class A>
void rib<A>::describe(const prefix<A>& p, next_hop before, const neighbours& around, change<A>& result,
                      unsigned min_length_with_ranges) const {
    result.where = p;
    result.before = before;
    result.after = around.hop;
    result.cover = around.cover;
    result.cover_length = around.cover_length;
    result.affected_ranges.clear();
    if (p.length >= min_length_with_ranges)
        find_affected_ranges(p, around.covers_nothing, result.affected_ranges);
}

// Finds the gaps between the topmost routes below `p`. These routes are disjoint and ascending. `from` is the
// first address after the routes so far; none is needed after the last address of the space.
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

// Everything that can fail precedes the one step that changes the trie.
template <class A>
expected<change<A>> rib<A>::perform(const prefix<A>& p, next_hop after) noexcept try {
    change<A> result;
    describe(p, next_hop::none, find_neighbours(p), result);
    result.after = after;
    const expected<next_hop> before = after == next_hop::none ? trie_.erase(p) : trie_.insert(p, after);
    if (!before)
        return unexpected{before.error()};
    result.before = *before;
    return result;
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

} // namespace fingerpost
