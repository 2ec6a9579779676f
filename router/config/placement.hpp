// The core that each thread runs on: as listed in the configuration, or chosen by what cores share.
//
// With `lookups-apart` the threads that look up have the cores of one last-level cache, or of as many as they
// need, and all other threads those of other caches. Where that cannot be, it is `auto`.
//
// The rules of the choice `auto`, in order of weight:
//   1. A data thread has a core of its own. With idle = "sleep" threads may share cores if there are too few.
//   2. No data thread shares a physical core with another while there is a free one: hyper-threads come last.
//   3. The control thread and the host thread are on other physical cores than data threads: on two if these
//      are left, else on one, else on hyper-threads, else with the last data threads.
//   4. Data threads are on the memory node of the ports, and those with a ring between them on one node.
//   5. Threads with a ring between them share a last-level cache.
// Among choices that are still equal, the control thread gets the lowest core, where the kernel does most of
// its own work.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "router/config/config.hpp"
#include "router/config/keys/report.hpp"
#include "router/config/wiring.hpp"
#include "system/topology.hpp"

namespace fingerpost::router {

struct placement {
    std::vector<unsigned> cores; // by thread of the wiring; the host thread's is the last
    unsigned control = 0;
    std::vector<std::string> lines; // for the log: where the threads are, and which rules could not be kept
};

// `near` is the memory node of the ports, where it is known. Errors go to the report: a core that the machine
// does not have or the process may not use, more polling threads than cores. The placement is worth nothing
// then.
placement place_threads(const config& settings, const wiring& plan, const system::topology& machine,
                        std::optional<unsigned> near, report& found);

// How many pairs of data threads with a ring between them do not share a last-level cache.
std::size_t distant_pairs(const wiring& plan, const system::topology& machine,
                          const std::vector<unsigned>& cores);

} // namespace fingerpost::router
