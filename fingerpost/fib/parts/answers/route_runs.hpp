// Runs of sorted routes below one slot of a node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "fingerpost/net/route.hpp"

namespace fingerpost {

// Counts the routes at the front of `inside` that share their first `border` bits with the first one.
// `inside` is not empty and in prefix order, and its first route has at least that length.
template <class A>
std::size_t count_sharing(std::span<const route<A>> inside, unsigned border) noexcept {
    const A last = prefix<A>::make(inside.front().where.first(), border).last();
    const auto beyond = std::partition_point(inside.begin(), inside.end(),
                                             [&](const route<A>& r) { return r.where.first() <= last; });
    return static_cast<std::size_t>(beyond - inside.begin());
}

} // namespace fingerpost
