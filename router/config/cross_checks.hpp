// Checks between keys: those that contradict each other.
#pragma once

#include "router/config/config.hpp"

namespace fingerpost::router {

// Reports what does not fit together, and fills in defaults that come from other keys (port.tap). Does not
// look at the machine.
void cross_check(config& settings, report& found);

} // namespace fingerpost::router
