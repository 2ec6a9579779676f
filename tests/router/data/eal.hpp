// DPDK's environment, started once a test program: without huge pages, devices or files.
#pragma once

namespace fingerpost::router {

// Fails the test program when DPDK does not start.
void start_eal();

} // namespace fingerpost::router
