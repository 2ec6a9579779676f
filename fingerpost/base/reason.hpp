// Converts exceptions to error codes. Only this file maps exceptions from allocations and limits to an errc.
#pragma once

#include "fingerpost/base/expected.hpp"

namespace fingerpost {

// Returns the error code of the current exception. Call it only in a handler. std::bad_alloc becomes
// errc::out_of_memory. std::length_error, which fingerpost or a container throws when a number or size does
// not fit, becomes errc::capacity. No other exception is expected; one ends the program.
errc reason_of_exception() noexcept;

// Returns the result of run(), or the error code of the exception that it threw.
template <class F>
errc or_reason(F run) noexcept try {
    return run();
} catch (...) {
    return reason_of_exception();
}

} // namespace fingerpost
