// Turns an exception into an error code: the one place where the library converts exceptions of allocations
// and limits to an errc.
#pragma once

#include "fingerpost/base/expected.hpp"

namespace fingerpost {

// Why the current exception was thrown; only within a handler. std::bad_alloc is errc::out_of_memory.
// std::length_error, thrown by fingerpost or by a container for a number or size that no longer fits, is
// errc::capacity. Nothing else is thrown on purpose: it ends the program.
errc reason_of_exception() noexcept;

// Returns what run() returns, or the error code of what it threw.
template <class F>
errc or_reason(F run) noexcept try {
    return run();
} catch (...) {
    return reason_of_exception();
}

} // namespace fingerpost
