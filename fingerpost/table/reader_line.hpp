// The cache line in which a reader announces the version that it uses. readers.hpp explains the protocol.
#pragma once

#include <cstdint>

#include "fingerpost/base/atomic_word.hpp"
#include "fingerpost/base/memory.hpp"

namespace fingerpost {

struct alignas(cache_line_bytes) reader_line {
    atomic_word<std::uint64_t> state{0};
    atomic_word<bool> in_use{false};

    static constexpr std::uint64_t pinning(std::uint64_t version) noexcept { return version << 1 | 1; }
    static constexpr std::uint64_t pinned(std::uint64_t version) noexcept { return version << 1; }
    static constexpr bool is_exact(std::uint64_t state) noexcept { return (state & 1) == 0; }
    static constexpr std::uint64_t version_of(std::uint64_t state) noexcept { return state >> 1; }

    // After this the reader holds nothing, and another reader may take the line.
    void leave() noexcept {
        state.store_release(0);
        in_use.store_release(false);
    }
};
static_assert(sizeof(reader_line) == cache_line_bytes);

} // namespace fingerpost
