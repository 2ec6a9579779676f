// What is known about the machine and the build: the environment that a result states.
#pragma once

#include "bench/measured/lookup_result.hpp"

namespace fingerpost::bench {

// Everything that does not depend on what is measured; "unknown" for what the system does not tell.
// Calibrates the time-stamp counter, which takes 50 ms, so pin the thread first.
environment describe_machine();

} // namespace fingerpost::bench
