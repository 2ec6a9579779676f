// Core placement for `placement = "auto"` and `placement = "lookups-apart"`.
#pragma once

#include <optional>
#include <vector>

#include "router/config/wiring.hpp"
#include "system/topology.hpp"

namespace fingerpost::router {

// Groups the data threads that pass packets to each other. Send threads are distributed among the groups.
std::vector<std::vector<std::size_t>> pipelines_of(const wiring& plan);

struct chosen_cores {
    std::vector<unsigned> data; // by thread of the wiring, without the host
    unsigned host = 0;
    unsigned control = 0;
};

// `near` is the memory node of the ports. The machine must have at least one core. Threads share cores when
// there are more threads than cores.
chosen_cores choose_cores(const wiring& plan, const system::topology& machine, std::optional<unsigned> near);

// Places lookup threads on the cores of one cache, or of as few caches as they need, and all other threads in
// other caches, so that nothing evicts the FIB. This is the placement of the PlanB paper. Returns nothing if
// the machine has only one cache, or if every lookup thread also receives (mode `complete`).
std::optional<chosen_cores> choose_lookups_apart(const wiring& plan, const system::topology& machine,
                                                 std::optional<unsigned> near);

} // namespace fingerpost::router
