// Live tables of every kind: each scheme with each policy that it supports.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/table/table.hpp"
#include "tests/support/chosen_schemes.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing {

// In tests, `table` is a list of routes.
template <class A>
using live_table = fingerpost::table<A>;

inline constexpr std::array every_policy{policy::rebuild, policy::left_right, policy::in_place};

inline bool fits(const auto& scheme, policy how) {
    return how == policy::rebuild || (how == policy::left_right && scheme.patchable) ||
           (how == policy::in_place && scheme.patchable_in_place);
}

// Number of combinations of a chosen scheme and a policy.
template <class A>
std::size_t kinds_of_tables(const std::vector<policy>& of) {
    std::size_t count = 0;
    for (const scheme_entry<A>& scheme : chosen_schemes<A>())
        if (find_scheme<A>(scheme.facts.name) != nullptr)
            for (const policy how : of)
                count += fits(scheme, how) ? 1 : 0;
    return count;
}

// The policy that builds the fewest FIBs for a scheme.
template <class A>
policy cheapest_policy(const scheme_entry<A>& scheme) {
    return scheme.patchable_in_place ? policy::in_place
           : scheme.patchable        ? policy::left_right
                                     : policy::rebuild;
}

// Calls test(options) for every scheme and policy. Under emulation and sanitizers, large schemes run with one
// policy only.
template <class A, class F>
void for_each_kind(F test) {
    for (const scheme_entry<A>& scheme : chosen_schemes<A>())
        for (const policy how : every_policy) {
            // Hidden forms are not in the registry, so a table cannot use them.
            if (find_scheme<A>(scheme.facts.name) == nullptr || !fits(scheme, how) ||
                (effort() < 0.5 && scheme.facts.large_when_empty && how != cheapest_policy(scheme)))
                continue;
            SCOPED_TRACE(std::string(scheme.facts.name) + " policy " + std::to_string(static_cast<int>(how)));
            table_options options;
            options.scheme = scheme.facts.name;
            options.update = how;
            test(options);
            if (::testing::Test::HasFatalFailure())
                return;
        }
}

} // namespace fingerpost::testing
