// Distinguishes bad_alloc and length_error.
#include "fingerpost/base/reason.hpp"

#include <new>
#include <stdexcept>

namespace fingerpost {

errc reason_of_exception() noexcept {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return errc::out_of_memory;
    } catch (const std::length_error&) {
        return errc::capacity;
    }
}

} // namespace fingerpost
