// A change of one prefix: before it is made, and after.
#pragma once

#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/net/prefix.hpp"

namespace fingerpost {

// The next hop that a prefix is to have; none withdraws it.
template <class A>
struct edit {
    prefix<A> where{};
    next_hop hop = next_hop::none;
};

// A prefix whose next hop was `before` and is now another one.
template <class A>
struct touched {
    prefix<A> where{};
    next_hop before = next_hop::none;
};

} // namespace fingerpost
