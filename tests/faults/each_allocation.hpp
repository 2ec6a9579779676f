// An operation with each of its allocations failing in turn.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "fingerpost/base/expected.hpp"
#include "tests/support/allocations.hpp"

namespace fingerpost::testing {

struct attempt {
    fault kind;
    bool done;        // what the operation said
    bool failed_once; // whether an allocation failed
    std::size_t kept; // blocks of memory more than before

    // Whether what the operation gave as its reason may be it.
    bool is_reason(errc told) const noexcept {
        return told == errc::out_of_memory || (kind == fault::by_length && told == errc::capacity);
    }
};

// act() with the first, second, ... allocation failing, alone, with all that follow, and by its length, until
// none is left to fail; check(attempt) after each, in which allocations work. Where there are hundreds, which
// would take quadratic time, some behind the first ones are left out.
// Returns how many attempts were not done.
template <class Act, class Check>
std::size_t fail_each_allocation(Act act, Check check) {
    constexpr std::size_t each_of_first = 96;
    std::size_t failures = 0;
    for (const fault kind : {fault::once, fault::from_then_on, fault::by_length})
        for (std::size_t number = 0;; number += 1 + (number < each_of_first ? 0 : number / 16)) {
            SCOPED_TRACE("allocation " + std::to_string(number));
            attempt made{};
            made.kind = kind;
            const std::size_t before = allocated_blocks();
            {
                const failing_allocations armed(number, kind);
                made.done = act();
                made.failed_once = armed.happened();
            }
            made.kept = allocated_blocks() - before;
            failures += made.done ? 0 : 1;
            EXPECT_TRUE(made.done || made.failed_once) << "failed for another reason";
            check(made);
            if (::testing::Test::HasFailure())
                return failures;
            if (!made.failed_once)
                break;
        }
    return failures;
}

} // namespace fingerpost::testing
