// The searches behind `placement = "auto"` and `placement = "lookups-apart"`.
#pragma once

#include <optional>
#include <vector>

#include "router/config/wiring.hpp"
#include "system/topology.hpp"

namespace fingerpost::router {

// The data threads that pass packets to each other; the threads of the send stage are distributed among them.
std::vector<std::vector<std::size_t>> pipelines_of(const wiring& plan);

struct chosen_cores {
    std::vector<unsigned> data; // by thread of the wiring, without the host
    unsigned host = 0;
    unsigned control = 0;
};

// `near` is the memory node of the ports. There is at least one core. More threads than cores share cores.
chosen_cores choose_cores(const wiring& plan, const system::topology& machine, std::optional<unsigned> near);

// As PlanB's authors place threads: those that look up on the cores of one cache, or of as many as they need,
// all others on the cores of other caches, so that nothing evicts the FIB. Nothing if that cannot be: the
// machine has one cache, or no thread looks up without receiving (`complete`).
std::optional<chosen_cores> choose_lookups_apart(const wiring& plan, const system::topology& machine,
                                                 std::optional<unsigned> near);

} // namespace fingerpost::router
