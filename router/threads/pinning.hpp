// Moves threads to cores.
#pragma once

#include <sched.h>

#include <rte_lcore.h>

namespace fingerpost::router {

// The calling thread runs on this core from now on. Stays where it is if the process may not use the core.
inline void run_on_core(unsigned core) noexcept {
    rte_cpuset_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    (void)rte_thread_set_affinity(&cores);
}

} // namespace fingerpost::router
