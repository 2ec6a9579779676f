// The length and the origin of AS paths (RFC 4271, 6793).
#pragma once

#include <cstdint>
#include <optional>

#include "io/format/mrt/entry.hpp"

namespace fingerpost::io::mrt {

struct path_summary {
    origin_as origin;
    // The number of ASes, as it counts for comparing lengths: a set is one, members of a confederation are
    // none.
    std::uint32_t length = 0;
};

// Reads the segments of an AS_PATH or AS4_PATH whose numbers have `width` bytes. Confederations (RFC 5065)
// are not an origin. Nothing if the segments do not fit the path or if one is of an unknown kind.
std::optional<path_summary> summarise_path(bytes path, unsigned width) noexcept;

} // namespace fingerpost::io::mrt
