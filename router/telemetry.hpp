// Commands on DPDK's telemetry socket, for dpdk-telemetry.py and `fingerpost router`:
//
//      /fingerpost/summary           packets, routes, the source of routes
//      /fingerpost/ports             by port; likewise threads, drops
//      /fingerpost/tables,VRF        of the default VRF unless another one is named
//      /fingerpost/vrf,FIRST         25 of them, from this number on
//      /fingerpost/neighbours,FIRST  100 of them, from this number on
//      /fingerpost/lookup,ADDRESS,VRF  in the default VRF unless another one is named
//      /fingerpost/trace_start, ... and drops_start, ...: see watch_telemetry.hpp
//      /fingerpost/stages,FIRST      likewise next_hops, prefixes and busiest_next_hops: see
//      telemetry_hits.hpp
#pragma once

#include "router/service.hpp"

namespace fingerpost::router {

// One object at a time; the service must outlive it.
class telemetry {
  public:
    explicit telemetry(service& of);
    ~telemetry();
    telemetry(const telemetry&) = delete;
    telemetry& operator=(const telemetry&) = delete;
};

} // namespace fingerpost::router
