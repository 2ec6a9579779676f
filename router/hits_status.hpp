// Statistics of packets and time: cycles by stage and batch size, packets by next hop and by prefix.
//
// Lists can be longer than one telemetry answer, so each item has a number, and a call returns the items from
// a given number on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "router/service.hpp"
#include "system/metrics.hpp"

namespace fingerpost::router {

struct stage_status {
    std::uint32_t number = 0;
    std::string thread;
    std::string_view name; // name of the stage
    unsigned batch = 0;    // smallest number of packets in the class: 1, 2, 4, ... 64
    // Totals over the timed bursts.
    std::uint64_t bursts = 0;
    std::uint64_t packets = 0;
    std::uint64_t cycles = 0;
};

struct next_hop_status {
    std::uint32_t number = 0;
    std::string via;
    std::string_view action;
    std::string port; // empty: no packets leave by this next hop
    std::uint64_t packets = 0;
};

struct prefix_status {
    std::uint32_t number = 0; // rank
    std::string vrf;
    std::string_view family;
    std::string prefix; // empty: packets without a route
    std::string via;    // empty: the route no longer exists
    double per_second = 0;
    double per_second_error = 0;
    double packets = 0;
    double error = 0;
};

// For the control thread. Stages and next hops without packets are left out.
std::vector<stage_status> stages_of(const service& from, std::uint32_t first, std::size_t most);
std::vector<next_hop_status> next_hops_of(service& from, std::uint32_t first, std::size_t most);
std::vector<prefix_status> prefixes_of(const service& from, std::uint32_t first, std::size_t most);

// Next hops in descending order of packets.
std::vector<next_hop_status> busiest_next_hops(service& from, std::size_t most);

// A consistent snapshot of all these statistics, for metrics.
struct hits_status {
    double tsc_hz = 0;
    std::uint64_t samples = 0;
    std::uint64_t lost_samples = 0;
    unsigned sample_one_in = 0;
    std::vector<stage_status> stages;
    std::vector<next_hop_status> next_hops;
    std::vector<prefix_status> prefixes;
};
hits_status hits_of(service& from);
void write_hits(system::metrics_writer& out, const hits_status& now);

} // namespace fingerpost::router
