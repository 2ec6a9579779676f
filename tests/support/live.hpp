// Live tables of every kind there is: each scheme with each policy that it allows.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/table/table.hpp"
#include "tests/support/effort.hpp"

namespace fingerpost::testing {

// The name `table` means a list of routes in the tests.
template <class A>
using live_table = fingerpost::table<A>;

inline constexpr std::array every_policy{policy::rebuild, policy::left_right, policy::in_place};

inline bool fits(const auto& scheme, policy how) {
    return how == policy::rebuild || (how == policy::left_right && scheme.patchable) ||
           (how == policy::in_place && scheme.patchable_in_place);
}

// Schemes whose FIBs have megabytes however small the table is; to build several takes seconds where every
// instruction is dear.
template <class A>
bool is_large_when_empty(const live_scheme<A>& scheme) {
    static const std::vector<std::string_view> large = [] {
        std::vector<std::string_view> names;
        for (const live_scheme<A>& one : live_schemes<A>())
            if (const auto empty = one.build(routes<A>(), {});
                empty && (*empty)->memory_bytes() > (std::size_t{1} << 20))
                names.push_back(one.name);
        return names;
    }();
    return std::find(large.begin(), large.end(), scheme.name) != large.end();
}

// Calls test(options) for every scheme with every policy that it allows. Where every instruction is dear,
// large schemes get the one policy that builds a single FIB.
template <class A, class F>
void for_each_kind(F test) {
    for (const live_scheme<A>& scheme : live_schemes<A>())
        for (const policy how : every_policy) {
            if (!fits(scheme, how) ||
                (how != policy::in_place && effort() < 0.5 && is_large_when_empty(scheme)))
                continue;
            SCOPED_TRACE(std::string(scheme.name) + " policy " + std::to_string(static_cast<int>(how)));
            table_options options;
            options.scheme = scheme.name;
            options.update = how;
            test(options);
            if (::testing::Test::HasFatalFailure())
                return;
        }
}

} // namespace fingerpost::testing
