// What DPDK, its drivers and the kernel refuse at the start, found before it: their limits, arguments of
// devices, and memory. Part of check_machine().
#pragma once

#include "router/config/config.hpp"

namespace fingerpost::router {

void check_devices_of_dpdk(const config& settings, report& found);
void check_arguments(const config& settings, report& found);
void check_queues(const config& settings, report& found);
void check_interfaces(const config& settings, report& found);
void check_memory_size(const config& settings, report& found);

// Where the folder of DPDK's drivers has the one of a device; empty if it has none, or if drivers are linked
// into the program.
std::string driver_file(const std::string& device);
bool has_driver_files();

} // namespace fingerpost::router
