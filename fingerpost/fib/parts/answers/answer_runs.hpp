// Next hops in the contents of a node, as runs of slots; see fib/inspectable.hpp.
#pragma once

#include <cstdint>

#include "fingerpost/fib/inspectable.hpp"

namespace fingerpost {

// Adds the next hop of a slot after all slots so far, unless the last run continues.
inline void add_answer(node_contents& to, std::uint64_t slot, next_hop hop) {
    if (to.answers.empty() || to.answers.back().hop != hop)
        to.answers.push_back({slot, hop});
}

} // namespace fingerpost
