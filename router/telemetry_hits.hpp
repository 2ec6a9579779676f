// Telemetry answers about stages, next hops and prefixes.
#pragma once

#include <cstdint>
#include <vector>

#include <rte_telemetry.h>

#include "router/hits_status.hpp"

namespace fingerpost::router {

// For the control thread: as many items as fit into one answer, starting at number `first`. The number of an
// item is its name in the answer.
std::vector<stage_status> collect_stages(service& of, std::uint32_t first);
std::vector<next_hop_status> collect_next_hops(service& of, std::uint32_t first);
// Next hops in descending order of packets.
std::vector<next_hop_status> collect_busiest_next_hops(service& of, std::uint32_t);
std::vector<prefix_status> collect_prefixes(service& of, std::uint32_t first);

void render_stages(const std::vector<stage_status>& now, rte_tel_data* to);
void render_next_hops(const std::vector<next_hop_status>& now, rte_tel_data* to);
void render_prefixes(const std::vector<prefix_status>& now, rte_tel_data* to);

} // namespace fingerpost::router
