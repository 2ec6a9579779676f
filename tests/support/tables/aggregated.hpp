// The properties that every aggregated table must have, at any width.
#pragma once

#include <gtest/gtest.h>

#include <span>

#include "fingerpost/rib/aggregate.hpp"
#include "fingerpost/rib/intervals.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing {

template <class A>
table<A> aggregated(const table<A>& routes) {
    return aggregate<A>(std::span<const route<A>>(routes));
}

template <class A>
bool well_formed(const table<A>& routes) {
    for (std::size_t i = 0; i < routes.size(); ++i) {
        const auto& [where, hop] = routes[i];
        if (hop == next_hop::none || !prefix<A>::is_canonical(where.base, where.length))
            return false;
        if (i > 0 && !(routes[i - 1].where < where))
            return false;
    }
    return true;
}

// Checks all properties that hold at any width. intervals_test.cpp tests intervals against their definition.
template <class A>
::testing::AssertionResult keeps_promises(const table<A>& routes) {
    const table<A> got = aggregated(routes);
    const auto fault = [&](const char* what) {
        return ::testing::AssertionFailure() << what << "\n"
                                             << text_of<A>(std::span<const route<A>>(routes)) << "  became\n"
                                             << text_of<A>(std::span<const route<A>>(got));
    };
    if (!well_formed(got))
        return fault("not canonical routes in prefix order");
    const auto before = elementary_intervals<A>(std::span<const route<A>>(routes));
    const auto after = elementary_intervals<A>(std::span<const route<A>>(got));
    if (before.ends != after.ends || before.hops != after.hops)
        return fault("other answers");
    if (got.size() > routes.size())
        return fault("more routes");
    if (aggregated(got) != got)
        return fault("aggregating again changed something");
    return ::testing::AssertionSuccess();
}

} // namespace fingerpost::testing
