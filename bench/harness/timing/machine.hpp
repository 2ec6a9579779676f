// Facts about the machine and the build, for the environment of results.
#pragma once

#include "bench/measured/lookup_result.hpp"

namespace fingerpost::bench {

// Returns everything that does not depend on the measurement, with "unknown" for missing information.
// Calibrates the time-stamp counter for 50 ms, so pin the thread first.
environment describe_machine();

} // namespace fingerpost::bench
