// What a configuration needs of the machine, as far as it can be known before anything is opened. `--check`
// and every start make these checks, and nothing else makes them.
#pragma once

#include "router/config/config.hpp"

namespace fingerpost::router {

// For a configuration without errors of its own. What a router that runs already has taken (ports of TCP,
// TAPs, huge pages) is no fault: `--check` is for files that a running router reads next.
void check_machine(const config& settings, report& found);

} // namespace fingerpost::router
