// Counters of Linux for this process, under the names that Prometheus uses for every program.
#pragma once

#include "system/metrics.hpp"

namespace fingerpost::system {

// Writes process_cpu_seconds_total, process_resident_memory_bytes, process_virtual_memory_bytes,
// process_open_fds, process_max_fds, process_threads and process_start_time_seconds, except those that the
// system does not report.
void write_process_metrics(metrics_writer& out);

} // namespace fingerpost::system
