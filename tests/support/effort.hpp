// How much a test does: less where every instruction is dear, as under the sanitizers or an emulator.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace fingerpost::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FINGERPOST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FINGERPOST_SANITIZED 1
#endif
#endif

// FINGERPOST_EVERY_WIDTH is 0 where tests that are made for many widths of addresses are to be compiled for
// some of them only.
#if defined(FINGERPOST_SANITIZED)
#define FINGERPOST_EVERY_WIDTH 0
inline constexpr double usual_effort = 0.05;
#elif defined(__aarch64__)
// Most runs of this build are under qemu-user, which is 10 to 20 times slower than the machine below it.
#define FINGERPOST_EVERY_WIDTH 0
inline constexpr double usual_effort = 0.1;
#else
#define FINGERPOST_EVERY_WIDTH 1
inline constexpr double usual_effort = 1.0;
#endif

// FINGERPOST_EFFORT, a factor, overrides what the build suggests.
inline double effort() {
    const char* text = std::getenv("FINGERPOST_EFFORT");
    const double wanted = text != nullptr ? std::atof(text) : 0.0;
    return wanted > 0.0 ? wanted : usual_effort;
}

// `count` cut to what the effort allows, at least 1. Minimum counts that a test demands are cut the same way.
inline std::size_t scaled(std::size_t count) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(count) * effort()));
}

// True in `make test-exhaustive`.
inline bool exhaustive() {
    const char* text = std::getenv("FINGERPOST_EXHAUSTIVE");
    return text != nullptr && std::string_view(text) == "full";
}

} // namespace fingerpost::testing
