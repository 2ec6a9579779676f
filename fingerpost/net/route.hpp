// A route: a prefix and the next hop of the addresses for which it is the longest match.
#pragma once

#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/net/prefix.hpp"

namespace fingerpost {

template <class A>
struct route {
    prefix<A> where{};
    next_hop hop = next_hop::none;

    friend constexpr bool operator==(const route&, const route&) noexcept = default;
};

// End sentinel of iterations over routes. std::default_sentinel_t would need <iterator>.
struct end_of_routes {};

} // namespace fingerpost
