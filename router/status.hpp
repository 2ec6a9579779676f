// The router's status: collected by the control thread, rendered by telemetry and metrics.
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
    // Counted by the device.
    std::uint64_t received_packets = 0;
    std::uint64_t received_bytes = 0;
    std::uint64_t sent_packets = 0;
    std::uint64_t sent_bytes = 0;
    // Packets that arrived but were not received: the ring was full because threads were too slow, or there
    // was no buffer.
    std::uint64_t missed = 0;
    std::uint64_t no_buffer = 0;
    std::uint64_t receive_errors = 0;
    std::uint64_t send_errors = 0; // packets that the device accepted but did not send
    // Counted by the router's threads: packets received from the device, passed to it, and refused by it
    // because its queue was full.
    std::uint64_t taken_packets = 0;
    std::uint64_t given_packets = 0;
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
    std::uint64_t busy_cycles = 0; // in rounds with packets
    std::uint64_t cycles = 0;      // in all rounds
    std::uint64_t lookups = 0;     // number of bursts looked up
    std::uint64_t looked_up = 0;   // number of packets in these bursts
    double busy = 0;               // share of cycles in rounds with packets
    double mean_batch = 0;         // packets per lookup burst
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
    std::uint64_t bytes = 0; // size of the published FIB
    std::uint64_t version = 0;
    std::uint64_t pending = 0; // changes that data threads do not see yet
    route_counts counts{};
};

struct vrf_status {
    std::string name;
    std::uint64_t table = 0;             // number of its table in the kernel and in FPM messages; 0: none
    std::vector<std::string> interfaces; // kernel interfaces of the ports and VLANs in the VRF
    std::array<table_status, 2> tables;
};

struct router_status {
    double uptime = 0; // seconds
    std::vector<port_status> ports;
    std::vector<thread_status> threads;
    std::array<std::uint64_t, drop_reason_count> drops{};
    std::vector<neighbour_status> neighbours;
    std::uint64_t confirmations = 0;    // requests to the kernel to confirm stale neighbours in use
    std::array<table_status, 2> tables; // of the default VRF
    std::vector<vrf_status> vrfs;       // the default VRF first
    feed_status feed;
    std::uint64_t next_hops = 0;
    // Sums over all threads, see counters.hpp.
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
    std::uint64_t to_kernel = 0;
    std::uint64_t from_kernel = 0;
    std::uint64_t generated = 0;
    std::uint64_t missed = 0; // at all ports, including packets without a buffer
    std::uint64_t waiting = 0;
    std::uint64_t buffers = 0; // packet buffers in total
    // Buffers that hold packets or are reserved by devices for received packets.
    std::uint64_t buffers_in_use = 0;
};

// For the control thread.
router_status status_of(const service& from);

// How packets on one path of a group are handled.
struct path_status {
    std::string via;
    std::uint64_t weight = 1;
    double share = 0; // share of the group's flows
    std::string action;
    std::string port;
    std::string mac;
    std::uint64_t mtu = 0;
};

// How packets to an address are handled.
struct lookup_status {
    std::string address;
    std::string prefix; // longest match; empty: none
    std::string via;    // next hop as named by the source
    std::string action; // forward, unresolved, local ...
    std::string port;
    std::string mac; // of the next router or the neighbour
    std::uint64_t mtu = 0;
    std::vector<path_status> paths; // paths of a group
};

// For the control thread. Fails if the text is not an address or the VRF does not exist; the error is a
// sentence.
expected<lookup_status, std::string> look_up(service& in, std::string_view address,
                                             std::string_view vrf = "default");

// All routes of a VRF as text that fingerpost reads: one line with prefix and next hop for each route, in
// order, IPv4 first. For any thread except the control thread, which it asks for the next hops. Returns
// nothing if that thread does not answer. Throws std::bad_alloc.
std::optional<std::string> routes_text(service& of, vrf_number vrf = default_vrf);

} // namespace fingerpost::router
