// Pins threads to cores.
#pragma once

#include <sched.h>

#include <rte_lcore.h>

namespace fingerpost::router {

// Pins the calling thread to a core. Does nothing if the process may not use the core.
inline void run_on_core(unsigned core) noexcept {
    rte_cpuset_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    (void)rte_thread_set_affinity(&cores);
}

} // namespace fingerpost::router
