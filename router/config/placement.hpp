// The core that each thread runs on: listed in the configuration, or chosen by what cores share.
//
// With `lookups-apart` the lookup threads get the cores of one last-level cache, or of as few as they need,
// and all other threads get cores of other caches. If the machine does not allow that, `auto` is used.
//
// Rules of `auto`, most important first:
//   1. Each data thread has its own core. With idle = "sleep" threads share cores if there are too few.
//   2. Data threads share a physical core only if no other is free: hyper-threads come last.
//   3. The control and host threads run on other physical cores than data threads: on two of them if these
//      are free, else on one, else on hyper-threads, else with the last data threads.
//   4. Data threads run on the memory node of the ports. Threads with a ring between them share a node.
//   5. Threads with a ring between them share a last-level cache.
// When choices are still equal, the control thread gets the lowest core, where the kernel does most of its
// work.
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
    std::vector<unsigned> cores; // for each thread of the wiring; the host thread is the last
    unsigned control = 0;
    std::vector<std::string>
        lines; // for the log: the place of each thread, and the rules that could not be followed
};

// `near` is the memory node of the ports, if known. Reports an error for a core that the machine does not
// have or the process may not use, and for more polling threads than cores. The placement must not be used
// after an error.
placement place_threads(const config& settings, const wiring& plan, const system::topology& machine,
                        std::optional<unsigned> near, report& findings);

// Number of pairs of data threads with a ring between them that do not share a last-level cache.
std::size_t distant_pairs(const wiring& plan, const system::topology& machine,
                          const std::vector<unsigned>& cores);

} // namespace fingerpost::router
