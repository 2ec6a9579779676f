// One route change as the RIB reports it to a FIB, with all that a FIB would otherwise have to ask for.
#pragma once

#include <cstdint>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost {

// Addresses first to last, both included.
template <class A>
struct address_range {
    A first;
    A last;

    friend constexpr bool operator==(const address_range&, const address_range&) noexcept = default;
};

// `before` is none if the prefix is new, `after` is none if it is withdrawn. `cover` is the next hop of the
// longest strictly shorter route that covers it, none without one, and `cover_length` its length.
// `affected_ranges` lists, ascending and disjoint, the ranges of `where` that no longer route covers: exactly
// there the answer changes, to `answer()`. A scheme may do without the ranges of short routes, see
// fib/scheme.hpp.
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
