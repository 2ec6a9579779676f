// What no single key can tell: keys that contradict each other.
#pragma once

#include "router/config/config.hpp"

namespace fingerpost::router {

// Says in the report what does not fit together; fills in defaults that come from other keys (port.tap).
// Needs no machine.
void cross_check(config& settings, report& found);

} // namespace fingerpost::router
