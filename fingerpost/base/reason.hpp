// From an exception to the code that says why: the one place where the library turns what allocations and
// limits throw into an errc.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>

#include "fingerpost/base/expected.hpp"

namespace fingerpost {

// Why the exception at hand was thrown; only within a handler, `catch (...)` in a function that is noexcept.
// Memory that has run out is a bad_alloc, a number or a size that no longer fits a length_error, be it ours
// or a container's. Nothing else is thrown on purpose: it ends the program, as noexcept has it.
inline errc reason_of_exception() noexcept {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return errc::out_of_memory;
    } catch (const std::length_error&) {
        return errc::capacity;
    }
}

// What run() returns, or the reason why it threw.
template <class F>
errc or_reason(F run) noexcept try {
    return run();
} catch (...) {
    return reason_of_exception();
}

} // namespace fingerpost
