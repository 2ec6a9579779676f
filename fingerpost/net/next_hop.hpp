// Next hop of a route: a small opaque number with a meaning that the caller defines.
#pragma once

#include <cstdint>
#include <limits>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

// Ids 0 to 2^32 - 2 are valid. `none` means "no route" and cannot be stored in a route. In schemes that store
// next hops as codes, up to 254 different ones need one byte for each answer and up to 65,534 need two, so
// number them densely from 0.
struct next_hop {
    std::uint32_t id = std::numeric_limits<std::uint32_t>::max();

    static const next_hop none;

    friend constexpr bool operator==(next_hop, next_hop) noexcept = default;
};

inline constexpr next_hop next_hop::none{std::numeric_limits<std::uint32_t>::max()};

// Batch lookups return arrays of next hops, which kernels write as plain words.
static_assert(sizeof(next_hop) == sizeof(std::uint32_t));

} // namespace fingerpost
