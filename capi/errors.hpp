// Last error of each thread, and how functions of the C interface return.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "capi/fingerpost.h"
#include "fingerpost/base/reason.hpp"
#include "fingerpost/image/error.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::capi {

constexpr int code_of(errc code) noexcept {
    return static_cast<int>(code);
}
static_assert(code_of(errc::ok) == FINGERPOST_OK &&
              code_of(errc::out_of_memory) == FINGERPOST_OUT_OF_MEMORY &&
              code_of(errc::capacity) == FINGERPOST_CAPACITY &&
              code_of(errc::unsupported) == FINGERPOST_UNSUPPORTED &&
              code_of(errc::invalid) == FINGERPOST_INVALID &&
              code_of(errc::not_found) == FINGERPOST_NOT_FOUND);

// Result of a call. `is_noted` means that fail() has already stored the text in fingerpost_last_error().
// Otherwise the error gets the default text of its code.
struct status {
    int code = FINGERPOST_OK;
    bool is_noted = false;

    status() = default;
    status(int plain) noexcept : code(plain) {}
    status(errc plain) noexcept : code(code_of(plain)) {}
    status(int failed, bool noted) noexcept : code(failed), is_noted(noted) {}
};

// Set the error of this thread to the concatenated texts. These functions do not allocate.
status fail(int code, std::initializer_list<std::string_view> texts) noexcept;
status fail(const text_error& wrong) noexcept;
// `path` may be null.
status fail(const char* path, const image_error& why) noexcept;
// Stores the error unless it is stored already, and returns its code.
int end_call(status how) noexcept;

inline status null_pointer() noexcept {
    return fail(FINGERPOST_INVALID, {"a null pointer is not allowed here"});
}

// Returns the result of run(), or the code of the exception that it threw: no exception may reach C.
template <class F>
int guarded(F run) noexcept {
    try {
        return end_call(run());
    } catch (...) {
        return end_call(reason_of_exception());
    }
}

} // namespace fingerpost::capi
