// What is known of the machine and the build: the circumstances that a result states.
#pragma once

#include "bench/measured/lookup_result.hpp"

namespace fingerpost::bench {

// Everything that does not depend on what is measured; what the system does not tell is "unknown". Calibrates
// the time-stamp counter, which takes 50 ms, so pin the thread first.
environment describe_machine();

} // namespace fingerpost::bench
