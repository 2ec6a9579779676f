// Where AS paths end (RFC 4271, 6793).
#pragma once

#include <cstdint>
#include <optional>

#include "io/format/mrt/entry.hpp"

namespace fingerpost::io::mrt {

struct path_summary {
    origin_as origin;
    // How many ASes it has for the comparison of lengths: a set is one, members of a confederation are none.
    std::uint32_t length = 0;
};

// Reads the segments of an AS_PATH or AS4_PATH whose numbers have `width` bytes. Those of confederations
// (RFC 5065) are no origin. Nothing when the segments do not fit the path or one is of no known kind.
std::optional<path_summary> summarise_path(bytes path, unsigned width) noexcept;

} // namespace fingerpost::io::mrt
