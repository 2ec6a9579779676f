// Runs an operation with each of its allocations failing in turn.
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
    bool done;        // the result of the operation
    bool failed_once; // whether an allocation failed
    std::size_t kept; // how many blocks of memory more than before

    // Whether the operation may give this as its reason.
    bool is_reason(errc told) const noexcept {
        return told == errc::out_of_memory || (kind == fault::by_length && told == errc::capacity);
    }
};

// Runs act() with the first, second, ... allocation failing, alone, with all that follow, and by its length,
// until none is left to fail; runs check(attempt) after each, in which allocations work. With hundreds of
// allocations that would take quadratic time, so some behind the first ones are left out, others each time.
// Returns how many attempts were not done.
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
