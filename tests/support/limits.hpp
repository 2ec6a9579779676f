// The checks that tests of limits make for every structure.
#pragma once

#include <gtest/gtest.h>

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

} // namespace fingerpost::testing
