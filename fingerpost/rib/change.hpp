// A route change, as the RIB reports it to a FIB, with everything that a FIB would otherwise have to query.
#pragma once

#include <cstdint>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost {

// Addresses `first` to `last`, inclusive.
template <class A>
struct address_range {
    A first;
    A last;

    friend constexpr bool operator==(const address_range&, const address_range&) noexcept = default;
};

// `before` is none for a new prefix, `after` is none for a withdrawn one. `cover` is the next hop of the
// longest shorter route that covers the prefix, or none, and `cover_length` is its length. `affected_ranges`
// has the ranges of `where` that no longer route covers, ascending and disjoint. Exactly there the result of
// lookups changes to `answer()`. A scheme may opt out of ranges for short routes; see fib/scheme.hpp.
template <class A>
struct change {
    prefix<A> where{};
    next_hop before = next_hop::none;
    next_hop after = next_hop::none;
    next_hop cover = next_hop::none;
    std::uint8_t cover_length = 0;
    std::vector<address_range<A>> affected_ranges;

    next_hop answer() const noexcept { return after == next_hop::none ? cover : after; }
};

} // namespace fingerpost
