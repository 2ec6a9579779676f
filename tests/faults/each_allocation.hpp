// Runs an operation repeatedly, with each of its allocations failing in turn.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "fingerpost/base/expected.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/effort.hpp"

namespace fingerpost::testing {

struct attempt {
    fault kind;
    bool done;        // whether the operation succeeded
    bool failed_once; // whether an allocation failed
    std::size_t kept; // growth of the number of allocated blocks

    // Whether the operation may report this reason.
    bool is_reason(errc told) const noexcept {
        return told == errc::out_of_memory || (kind == fault::by_length && told == errc::capacity);
    }
};

// Runs act() with the first, second, ... allocation failing: that one alone, with all later ones, and by its
// length, until no allocation fails. Runs check(attempt) after each attempt, with working allocations. With
// hundreds of allocations this would take quadratic time, so it skips some of the later ones, different ones
// in each run. Returns the number of failed attempts.
template <class Act, class Check>
std::size_t fail_each_allocation(Act act, Check check) {
    const std::size_t each_of_first = all_samples() ? 96 : 12;
    static std::size_t turn = 0;
    std::size_t failures = 0;
    for (const fault kind : {fault::once, fault::from_then_on, fault::by_length})
        for (std::size_t number = 0;;
             number += 1 + (number < each_of_first ? 0 : number * 6 / each_of_first + turn++ % 3)) {
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
