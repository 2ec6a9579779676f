// How much a test does: less where every instruction is slow, as under the sanitizers or an emulator.
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
// Most runs of this build are under qemu-user, which is 10 to 20 times slower than the machine below it.
inline constexpr double usual_effort = 0.1;
#else
inline constexpr double usual_effort = 1.0;
#endif

// Whether a list of names in an environment variable, separated by commas, has this one.
inline bool is_listed(const char* variable, std::string_view name) {
    const char* const text = std::getenv(variable);
    return text != nullptr &&
           ("," + std::string(text) + ",").find("," + std::string(name) + ",") != std::string::npos;
}

// How many folders of schemes this build tests; defined in test_registry.cpp.
std::size_t tested_scheme_folders();

// Whether the folder of schemes of this process is not to be cut to a sample.
inline bool is_in_full() {
    const char* const scheme = std::getenv("FINGERPOST_SCHEMES");
    return scheme != nullptr && is_listed("FINGERPOST_IN_FULL", scheme);
}

// The part of the samples that the suites over the schemes take. ctest runs them once for each folder of
// schemes. Up to eight folders get all samples; with more, each gets fewer, so that all tests together take
// no longer. The folders that FINGERPOST_IN_FULL names are not cut.
inline double sampled_part() {
    if (std::getenv("FINGERPOST_SCHEMES") == nullptr || is_in_full())
        return 1.0;
    return std::min(1.0, 8.0 / static_cast<double>(tested_scheme_folders()));
}

// The smallest samples that tests are made for. FINGERPOST_TESTS=all, as in `make test-all`, takes all.
inline constexpr double smallest_effort = 0.1;
inline bool all_samples() {
    const char* const tests = std::getenv("FINGERPOST_TESTS");
    return is_in_full() || (tests != nullptr && std::string_view(tests) == "all");
}

// FINGERPOST_EFFORT, a factor, overrides what the build, the number of schemes and FINGERPOST_TESTS suggest.
inline double effort() {
    const char* text = std::getenv("FINGERPOST_EFFORT");
    const double wanted = text != nullptr ? std::atof(text) : 0.0;
    return wanted > 0.0
               ? wanted
               : (all_samples() ? usual_effort : std::min(usual_effort, smallest_effort)) * sampled_part();
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
