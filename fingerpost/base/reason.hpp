// Turns an exception into an error code: the one place where the library converts exceptions of allocations
// and limits to an errc.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>

#include "fingerpost/base/expected.hpp"

namespace fingerpost {

// The error code of the current exception. Call it only inside a handler: `catch (...)` in a function that is
// noexcept. std::bad_alloc means that memory has run out. std::length_error means that a number or a size
// does not fit, be it ours or a container's. Nothing else is thrown on purpose: it ends the program, as
// noexcept demands.
inline errc reason_of_exception() noexcept {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return errc::out_of_memory;
    } catch (const std::length_error&) {
        return errc::capacity;
    }
}

// Returns what run() returns, or the error code of what it threw.
template <class F>
errc or_reason(F run) noexcept try {
    return run();
} catch (...) {
    return reason_of_exception();
}

} // namespace fingerpost
