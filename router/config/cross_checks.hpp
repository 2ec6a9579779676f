// Checks for keys that contradict each other.
#pragma once

#include "router/config/config.hpp"

namespace fingerpost::router {

// Reports contradictions, and fills in defaults that depend on other keys (port.tap). Does not inspect the
// machine.
void cross_check(config& settings, report& findings);

} // namespace fingerpost::router
