// One line of updates as text, cut into its words (updates.hpp has the format).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fingerpost/base/expected.hpp"

namespace fingerpost::io {

struct update_line {
    std::optional<std::uint64_t> seconds{}; // when it was recorded, as far as that is a number of 64 bits
    bool announced = false;
    std::string_view where;    // not empty; not yet parsed
    std::string_view next_hop; // empty where an announcement has none
};

// Nothing for a line without words. The error is why the line is none, in words.
expected<std::optional<update_line>, const char*> cut_update(std::string_view line);

} // namespace fingerpost::io
