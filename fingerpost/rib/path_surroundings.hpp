// Neighbourhood of one prefix in the RIB.
#pragma once

#include <cstdint>

#include "fingerpost/net/next_hop.hpp"

namespace fingerpost {

// Routes at, above and below a prefix, collected in one descent.
struct path_surroundings {
    next_hop hop = next_hop::none;   // next hop of the prefix itself
    next_hop cover = next_hop::none; // next hop of the longest shorter route that covers it
    std::uint8_t cover_length = 0;   // length of that route
    bool covers_nothing = true;      // covers no route except its own
};

} // namespace fingerpost
