// Commands on DPDK's telemetry socket, for dpdk-telemetry.py and `fingerpost router`:
//
//   /fingerpost/summary            packets, routes, the source of routes
//   /fingerpost/ports              status of each port; threads and drops are similar
//   /fingerpost/tables,VRF         tables of a VRF, by default of the default VRF
//   /fingerpost/vrf,FIRST          up to 25 VRFs, starting at number FIRST
//   /fingerpost/neighbours,FIRST   up to 100 neighbours, starting at number FIRST
//   /fingerpost/lookup,ADDRESS,VRF looks up an address, by default in the default VRF
//   /fingerpost/trace_start, drops_start and related commands: see watch_telemetry.hpp
//   /fingerpost/stages, next_hops, prefixes and busiest_next_hops: see telemetry_hits.hpp
#pragma once

#include "router/service.hpp"

namespace fingerpost::router {

// Only one object can exist at a time. The service must outlive it.
class telemetry {
  public:
    explicit telemetry(service& of);
    ~telemetry();
    telemetry(const telemetry&) = delete;
    telemetry& operator=(const telemetry&) = delete;
};

} // namespace fingerpost::router
