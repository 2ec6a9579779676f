// Checked conversions of sizes to the 32-bit numbers that structures store. See docs/inside/limits.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

namespace detail {
[[noreturn]] void throw_too_large(const char* what);
}

// Throws std::length_error, which becomes errc::capacity, if a size is above `most`. `what` names the size.
constexpr void check_size(std::size_t size, std::size_t most, const char* what) {
    if (size > most) [[unlikely]]
        detail::throw_too_large(what);
}

// Converts a size, count or index to a 32-bit number. Throws like check_size() if it does not fit.
constexpr std::uint32_t to_u32(std::size_t size, const char* what) {
    check_size(size, std::numeric_limits<std::uint32_t>::max(), what);
    return static_cast<std::uint32_t>(size);
}

} // namespace fingerpost
