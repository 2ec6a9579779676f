// Commands on DPDK's telemetry socket for `fingerpost router trace` and `capture`:
//
//   /fingerpost/trace_start,COUNT,EVERY,MILLISECONDS,PREFIX,PORT
//                         traces COUNT packets, one of every EVERY that PORT receives for PREFIX. PREFIX
//                         and PORT may be `-`. Answer: the number of the session, or an error
//   /fingerpost/trace_next,SESSION
//                         the next packet, if there is one, with its first steps; whether the session has
//                         ended; the number of missed packets
//   /fingerpost/trace_steps,SESSION,FIRST
//                         further steps of that packet
//   /fingerpost/drops_start,COUNT,MILLISECONDS and drops_next,SESSION
//                         dropped packets, as hexadecimal digits
//   /fingerpost/watch_stop,SESSION
#pragma once

#include "router/service.hpp"

namespace fingerpost::router {

// Registers the commands on the first call. With a null pointer they no longer answer.
void serve_watch_commands(service* of);

} // namespace fingerpost::router
