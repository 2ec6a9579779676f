// Checks that the limit tests of all structures share.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "tests/oracle/by_length.hpp"
#include "tests/oracle/probes.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing {

template <class A>
std::vector<route<A>> routes_of(const fingerpost::rib<A>& all) {
    const routes<A> copy = all.to_routes();
    return {copy.sorted().begin(), copy.sorted().end()};
}
template <class A, class Fib>
void expect_right(const Fib& fib, const std::vector<route<A>>& all) {
    const oracle::by_length<A> truth{std::span<const route<A>>(all)};
    for (const A a : oracle::probes<A>(std::span<const route<A>>(all)))
        ASSERT_EQ(fib.lookup(a), truth.lookup(a)) << text_of(a);
}

// Checks that a FIB of these routes can be built with a limit of `needed` (nodes, codes or whatever F counts)
// and is right, and that a limit one lower is refused.
template <class F, class A>
void expect_least(const std::vector<route<A>>& all, auto needed) {
    const routes<A> from(all);
    const auto fits = F::build(from, {}, needed);
    ASSERT_TRUE(fits);
    expect_right<A>(*fits, all);
    try {
        const auto refused = F::build(from, {}, needed - 1);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error(), errc::capacity);
    } catch (const std::length_error&) { // the registry turns it into errc::capacity
    }
}

} // namespace fingerpost::testing
