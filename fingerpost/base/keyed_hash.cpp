// Sources of hash keys.
#include "fingerpost/base/keyed_hash.hpp"

#include <atomic>
#include <chrono>
#include <sys/random.h>
#include <unistd.h>

namespace fingerpost {

std::uint64_t detail::seed_without_entropy() noexcept {
    static std::atomic<std::uint64_t> calls{0};
    const std::uint64_t call = calls.fetch_add(1, std::memory_order_relaxed);
    const auto time = std::chrono::high_resolution_clock::now().time_since_epoch().count();
    // The addresses of the stack and of the library differ from process to process.
    const std::uint64_t parts[] = {static_cast<std::uint64_t>(time), static_cast<std::uint64_t>(::getpid()),
                                   reinterpret_cast<std::uintptr_t>(&call),
                                   reinterpret_cast<std::uintptr_t>(&calls), call};
    std::uint64_t seed = 0;
    for (const std::uint64_t part : parts)
        seed = mix64(seed + mix64_step + part);
    return seed;
}

hash_key hash_key::random() noexcept {
    std::uint64_t seed = 0;
    // Shortly after boot the system may have no entropy yet, and a table must not wait for it.
    if (::getrandom(&seed, sizeof seed, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof seed))
        seed = detail::seed_without_entropy();
    return hash_key(seed);
}

} // namespace fingerpost
