// What failed last in a thread, and how functions of the C interface end.
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

// How a call ended. Its text is in fingerpost_last_error() already if fail() made it; a code alone gets the
// text of that code.
struct status {
    int code = FINGERPOST_OK;
    bool is_noted = false;

    status() = default;
    status(int plain) noexcept : code(plain) {}
    status(errc plain) noexcept : code(code_of(plain)) {}
    status(int failed, bool noted) noexcept : code(failed), is_noted(noted) {}
};

// Note the error of this thread, with the texts one after the other. None of them allocates.
status fail(int code, std::initializer_list<std::string_view> texts) noexcept;
status fail(const text_error& wrong) noexcept;
// `path` may be null.
status fail(const char* path, const image_error& why) noexcept;
// Notes what is not noted, and returns the code.
int end_call(status how) noexcept;

inline status null_pointer() noexcept {
    return fail(FINGERPOST_INVALID, {"a null pointer where none is allowed"});
}

// What run() returned or threw, as a code: no exception may reach C.
template <class F>
int guarded(F run) noexcept {
    try {
        return end_call(run());
    } catch (...) {
        return end_call(reason_of_exception());
    }
}

} // namespace fingerpost::capi
