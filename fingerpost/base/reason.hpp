// From an exception to the code that says why: the one place where the library turns what allocations and
// limits throw into an errc.
#pragma once

#include "fingerpost/base/expected.hpp"

namespace fingerpost {

// Why the current exception was thrown; only within a handler. std::bad_alloc is errc::out_of_memory.
// std::length_error, thrown by fingerpost or by a container for a number or size that no longer fits, is
// errc::capacity. Nothing else is thrown on purpose: it ends the program.
errc reason_of_exception() noexcept;

// What run() returns, or the reason why it threw.
template <class F>
errc or_reason(F run) noexcept try {
    return run();
} catch (...) {
    return reason_of_exception();
}

} // namespace fingerpost
