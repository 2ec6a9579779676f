// Shrinks a failing table until it is small enough to read, by removing routes while it still fails.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>

#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing {

// Removes halves, quarters, ..., single routes while `fails` holds for the rest. When the time is up, returns
// the smallest failing table so far.
template <class A, class F>
table<A> shrink(table<A> failing, F fails, std::chrono::seconds time = std::chrono::seconds(20)) {
    const auto end = std::chrono::steady_clock::now() + time;
    for (std::size_t chunk = std::max<std::size_t>(1, failing.size() / 2);;) {
        bool smaller = false;
        for (std::size_t at = 0; at < failing.size();) {
            if (std::chrono::steady_clock::now() > end)
                return failing;
            const auto from = failing.begin() + static_cast<std::ptrdiff_t>(at);
            const auto to =
                failing.begin() + static_cast<std::ptrdiff_t>(std::min(at + chunk, failing.size()));
            table<A> rest(failing.begin(), from);
            rest.insert(rest.end(), to, failing.end());
            if (fails(rest)) {
                failing = std::move(rest);
                smaller = true;
            } else {
                at += chunk;
            }
        }
        if (chunk == 1 && !smaller)
            return failing;
        chunk = std::max<std::size_t>(1, chunk / 2);
    }
}

} // namespace fingerpost::testing
