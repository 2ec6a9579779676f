// A change of one prefix, before and after it is applied.
#pragma once

#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/net/prefix.hpp"

namespace fingerpost {

// The new next hop of a prefix. `none` withdraws it.
template <class A>
struct edit {
    prefix<A> where{};
    next_hop hop = next_hop::none;
};

// A changed prefix and its previous next hop.
template <class A>
struct touched {
    prefix<A> where{};
    next_hop before = next_hop::none;
};

} // namespace fingerpost
