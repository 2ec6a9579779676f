// Commands on DPDK's telemetry socket for `fingerpost router trace` and `capture`:
//
//      /fingerpost/trace_start,COUNT,EVERY,MILLISECONDS,PREFIX,PORT
//                                    traces COUNT of the packets that come in at PORT for PREFIX, one of
//                                    EVERY; either may be `-`. Answer: the number of the session, or the
//                                    error
//      /fingerpost/trace_next,SESSION
//                                    the next packet, if there is one, with its first steps; whether the end
//                                    has come; how many packets were missed
//      /fingerpost/trace_steps,SESSION,FIRST
//                                    more steps of that packet
//      /fingerpost/drops_start,COUNT,MILLISECONDS and drops_next,SESSION
//                                    dropped packets likewise, as hexadecimal digits
//      /fingerpost/watch_stop,SESSION
#pragma once

#include "router/service.hpp"

namespace fingerpost::router {

// Registers the commands at the first call; null: they do not answer any more.
void serve_watch_commands(service* of);

} // namespace fingerpost::router
