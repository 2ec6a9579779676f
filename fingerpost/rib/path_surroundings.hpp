// What the RIB holds around one prefix.
#pragma once

#include <cstdint>

#include "fingerpost/net/next_hop.hpp"

namespace fingerpost {

// What is at, above and below a prefix, found on one way down.
struct path_surroundings {
    next_hop hop = next_hop::none;   // its own
    next_hop cover = next_hop::none; // that of the longest shorter route that covers it
    std::uint8_t cover_length = 0;   // of that route
    bool covers_nothing = true;      // it covers no route but its own
};

} // namespace fingerpost
