// How much work tests do: less where every instruction is slow, as under sanitizers or an emulator.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

namespace fingerpost::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FINGERPOST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FINGERPOST_SANITIZED 1
#endif
#endif

#if defined(FINGERPOST_SANITIZED)
inline constexpr double usual_effort = 0.05;
#elif defined(__aarch64__)
// This build mostly runs under qemu-user, which is 10 to 20 times slower than the host.
inline constexpr double usual_effort = 0.1;
#else
inline constexpr double usual_effort = 1.0;
#endif

// Whether the comma-separated list in an environment variable contains this name.
inline bool is_listed(const char* variable, std::string_view name) {
    const char* const text = std::getenv(variable);
    return text != nullptr &&
           ("," + std::string(text) + ",").find("," + std::string(name) + ",") != std::string::npos;
}

// Number of scheme folders that this build tests; defined in test_registry.cpp.
std::size_t tested_scheme_folders();

// Whether the scheme folder of this process gets all samples.
inline bool is_in_full() {
    const char* const scheme = std::getenv("FINGERPOST_SCHEMES");
    return scheme != nullptr && is_listed("FINGERPOST_IN_FULL", scheme);
}

// The fraction of the samples that the suites over schemes run. ctest runs them once per scheme folder. Up to
// eight folders get all samples. With more folders each gets fewer, so that the total time stays the same.
// Folders listed in FINGERPOST_IN_FULL get all samples.
inline double sampled_part() {
    if (std::getenv("FINGERPOST_SCHEMES") == nullptr || is_in_full())
        return 1.0;
    return std::min(1.0, 8.0 / static_cast<double>(tested_scheme_folders()));
}

// The smallest effort that tests are designed for. FINGERPOST_TESTS=all, which `make test-all` sets, runs all
// samples.
inline constexpr double smallest_effort = 0.1;
inline bool all_samples() {
    const char* const tests = std::getenv("FINGERPOST_TESTS");
    return is_in_full() || (tests != nullptr && std::string_view(tests) == "all");
}

// FINGERPOST_EFFORT is a factor. It overrides the effort chosen by build type, number of schemes and
// FINGERPOST_TESTS.
inline double effort() {
    const char* text = std::getenv("FINGERPOST_EFFORT");
    const double wanted = text != nullptr ? std::atof(text) : 0.0;
    return wanted > 0.0
               ? wanted
               : (all_samples() ? usual_effort : std::min(usual_effort, smallest_effort)) * sampled_part();
}

// Scales `count` by the effort, to at least 1. Tests scale their required minimum counts in the same way.
inline std::size_t scaled(std::size_t count) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(count) * effort()));
}

// True in `make test-exhaustive`.
inline bool exhaustive() {
    const char* text = std::getenv("FINGERPOST_EXHAUSTIVE");
    return text != nullptr && std::string_view(text) == "full";
}

} // namespace fingerpost::testing
