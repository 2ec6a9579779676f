// What Linux counts of this process, under the names that Prometheus has for every program.
#pragma once

#include "system/metrics.hpp"

namespace fingerpost::system {

// Adds process_cpu_seconds_total, process_resident_memory_bytes, process_virtual_memory_bytes,
// process_open_fds, process_max_fds, process_threads and process_start_time_seconds; without those that the
// system does not tell.
void write_process_metrics(metrics_writer& out);

} // namespace fingerpost::system
