// Routes of every length on one address, the deepest possible nesting.
#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/support/limits.hpp"

namespace fingerpost::testing {

template <class A>
rib<A> chain_of_all_lengths(A at) {
    rib<A> truth;
    for (unsigned length = 0; length <= A::bits; ++length)
        EXPECT_TRUE(truth.insert(prefix<A>::make(at, length), {length}));
    return truth;
}

// Withdraws such routes in any order; the FIB is right before each time and at the end.
template <class A, class Fib>
void take_chain_apart(Fib& fib, rib<A>& truth, random_numbers& random) {
    std::vector<route<A>> left = routes_of(truth);
    while (!left.empty()) {
        ASSERT_NO_FATAL_FAILURE(expect_right<A>(fib, left));
        std::swap(left[random.below(left.size())], left.back());
        const auto gone = truth.withdraw(left.back().where);
        left.pop_back();
        ASSERT_TRUE(gone);
        ASSERT_EQ(fib.apply(*gone), errc::ok);
    }
    expect_right<A>(fib, left);
}

} // namespace fingerpost::testing
