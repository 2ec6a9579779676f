// Functions of the C interface turn exceptions into codes and texts.
#pragma once

#include <exception>
#include <new>

#include "gpu/device.hpp"

namespace fingerpost::gpu {

// Keeps the reason of a failure for fingerpost_cuda_error(), and returns the code.
int fail(int code, const char* reason) noexcept;

// Returns the code of run(), which may throw.
template <class Run>
int guarded(Run run) noexcept try {
    run();
    return FINGERPOST_CUDA_OK;
} catch (const failure& wrong) {
    return fail(wrong.code(), wrong.what());
} catch (const std::bad_alloc&) {
    return fail(FINGERPOST_CUDA_OUT_OF_MEMORY, "out of memory");
} catch (const std::exception& wrong) {
    return fail(FINGERPOST_CUDA_DEVICE, wrong.what());
}

inline void require(bool holds, const char* reason) {
    if (!holds)
        throw failure(FINGERPOST_CUDA_INVALID, reason);
}

} // namespace fingerpost::gpu
