// Finds problems that DPDK, its drivers and the kernel would report at the start: limits, arguments of
// devices, memory. Part of check_machine().
#pragma once

#include "router/config/config.hpp"

namespace fingerpost::router {

void check_devices_of_dpdk(const config& settings, report& findings);
void check_arguments(const config& settings, report& findings);
void check_queues(const config& settings, report& findings);
void check_interfaces(const config& settings, report& findings);
void check_memory_size(const config& settings, report& findings);

// Path of a device's driver in DPDK's driver folder; empty if it is not there, or if drivers are linked into
// the program.
std::string driver_file(const std::string& device);
bool has_driver_files();

} // namespace fingerpost::router
