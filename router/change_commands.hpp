// Commands on DPDK's telemetry socket that change the configuration: `/fingerpost/set` and
// `/fingerpost/reload`.
//
//   /fingerpost/set,KEY=VALUE  changes settings, one a line: all of them or none
//   /fingerpost/reload         reads the configuration again
//
// The answer contains the lines of live_changes.hpp in `changed`, `needs_restart`, `warnings` and `errors`.
#pragma once

#include "router/live_changes.hpp"

namespace fingerpost::router {

// Answers the commands as long as the object lives. A process can have only one.
class change_commands {
  public:
    explicit change_commands(live_changes& of);
    ~change_commands();
    change_commands(const change_commands&) = delete;
    change_commands& operator=(const change_commands&) = delete;
};

} // namespace fingerpost::router
