// What the router reports about itself: collected by the control thread, rendered by telemetry and metrics.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "router/service.hpp"

namespace fingerpost::router {

struct port_status {
    std::string name;
    std::string device;
    std::string mac;
    std::string tap;
    bool up = false;
    // As the device counts them.
    std::uint64_t received_packets = 0;
    std::uint64_t received_bytes = 0;
    std::uint64_t sent_packets = 0;
    std::uint64_t sent_bytes = 0;
    // Packets that arrived and were never received: the threads were too late and a ring was full, or there
    // was no buffer.
    std::uint64_t missed = 0;
    std::uint64_t no_buffer = 0;
    std::uint64_t receive_errors = 0;
    std::uint64_t send_errors = 0; // packets that the device took and did not send
    // As the router's threads count them: taken from the device, given to it, and refused by it because its
    // queue was full.
    std::uint64_t taken = 0;
    std::uint64_t given = 0;
    std::uint64_t refused = 0;
};

struct thread_status {
    std::string name;
    unsigned core = 0;
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
    std::uint64_t dropped = 0;
    std::uint64_t rounds = 0;
    std::uint64_t idle_rounds = 0;
    std::uint64_t busy_cycles = 0; // in rounds that found packets
    std::uint64_t cycles = 0;      // in all rounds
    std::uint64_t lookups = 0;     // bursts that were looked up
    std::uint64_t looked_up = 0;   // packets in them
    double busy = 0;               // share of the cycles in rounds that found packets
    double mean_batch = 0;         // packets looked up at once
};

struct neighbour_status {
    std::string address;
    std::string interface;
    std::string mac;
    std::string_view state;
};

struct table_status {
    std::string_view family;
    std::string scheme;
    std::uint64_t routes = 0;
    std::uint64_t bytes = 0; // of the published FIB
    std::uint64_t version = 0;
    std::uint64_t pending = 0; // changes that data threads do not see yet
    route_counts counts{};
};

struct vrf_status {
    std::string name;
    std::uint64_t table = 0;             // its number in the kernel and in FPM's messages; 0: none
    std::vector<std::string> interfaces; // of the kernel, for the ports and VLANs in the VRF
    std::array<table_status, 2> tables;
};

struct router_status {
    double uptime = 0; // seconds
    std::vector<port_status> ports;
    std::vector<thread_status> threads;
    std::array<std::uint64_t, drop_reason_count> drops{};
    std::vector<neighbour_status> neighbours;
    std::uint64_t confirmations = 0;    // questions to the kernel about stale neighbours in use
    std::array<table_status, 2> tables; // of the default VRF
    std::vector<vrf_status> vrfs;       // the default one first
    feed_status feed;
    std::uint64_t next_hops = 0;
    // For all threads together, see counters.hpp.
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
    std::uint64_t to_kernel = 0;
    std::uint64_t from_kernel = 0;
    std::uint64_t made = 0;
    std::uint64_t missed = 0; // by all ports, including for lack of buffers
    std::uint64_t waiting = 0;
    std::uint64_t buffers = 0; // packet buffers in total
    // Those that hold packets, and those that devices keep for packets to come.
    std::uint64_t buffers_in_use = 0;
};

// For the control thread.
router_status status_of(const service& from);

// What happens to packets on a path of a group.
struct path_status {
    std::string via;
    std::uint64_t weight = 1;
    double share = 0; // of the group's flows
    std::string action;
    std::string port;
    std::string mac;
    std::uint64_t mtu = 0;
};

// What happens to packets to an address.
struct lookup_status {
    std::string address;
    std::string prefix; // the longest match; empty: none
    std::string via;    // its next hop, as the source named it
    std::string action; // forward, unresolved, local ...
    std::string port;
    std::string mac; // of the next router or the neighbour
    std::uint64_t mtu = 0;
    std::vector<path_status> paths; // of a group
};

// For the control thread. The error says what is wrong with the text, or that there is no such VRF.
expected<lookup_status, std::string> look_up(service& in, std::string_view address,
                                             std::string_view vrf = "default");

// All routes of a VRF as text that fingerpost reads: one line with a prefix and its next hop for each, in
// order, IPv4 first. For any thread except the control thread, which is asked for the next hops; nothing if
// it does not answer. Throws std::bad_alloc.
std::optional<std::string> routes_text(service& of, vrf_number vrf = default_vrf);

} // namespace fingerpost::router
