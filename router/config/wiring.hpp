// How threads are connected: the queues that each thread polls and the threads that it passes packets to,
// with receive queues, rings and transmit queues. The plan depends only on the configuration and on what the
// devices offer; the data threads follow it.
//
//   receive  Queue k, counted over all ports, belongs to receive thread k modulo their number.
//   look up  A receive thread spreads flows over its lookup threads by flow hash. If one number of threads
//            divides the other, each thread has its own partners, so that a pipeline stays in one cache;
//            otherwise every receive thread feeds every lookup thread.
//   send     In a pipeline, port p belongs to send thread p modulo their number. In other modes every lookup
//            thread sends on its own transmit queue. If a port has too few queues for that, it belongs to one
//            thread, and the others hand it their packets.
//   host     Every data thread has a ring to the host thread. The host thread sends on its own transmit queue
//            if one is left, else over a ring to the port's owner.
//
// Each ring has one producer and one consumer. Threads are indexes of wiring::threads, rings indexes of
// wiring::rings, ports indexes of config::ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "router/config/config.hpp"

namespace fingerpost::router {

// Queues that a device offers and the configuration uses.
struct port_queues {
    unsigned receive = 1;
    unsigned transmit = 1;
};

struct receive_queue {
    std::size_t port = 0;
    unsigned queue = 0;

    friend bool operator==(const receive_queue&, const receive_queue&) = default;
};

// How a thread sends packets to a port: on its own transmit queue, or over a ring to the thread that owns
// one.
struct port_exit {
    std::optional<unsigned> queue{};
    std::optional<std::size_t> ring{};
};

struct wired_thread {
    std::string name{}; // receive0, lookup1, send0, fused0, complete0, host
    bool receives = false;
    bool looks_up = false;
    bool sends = false; // for data threads; the host thread sends the kernel's packets
    std::vector<receive_queue> polls{};
    // Rings that the thread receives from, except the host's.
    std::vector<std::size_t> inputs{};
    // Indexed by the flow hash modulo their number. If empty, the thread looks up itself.
    std::vector<std::size_t> lookup_rings{};
    // One for each port; empty for threads that do not choose a port.
    std::vector<port_exit> exits{};
    std::optional<std::size_t> to_host{};
    // Ring with the host thread's packets for ports that this thread owns.
    std::optional<std::size_t> from_host{};
};

// lookup: checked packets. send: packets with their next hop. to_host: rare packets. from_host: packets of
// the kernel and ICMP errors, ready to be sent.
enum class ring_use : std::uint8_t { lookup, send, to_host, from_host };

struct wired_ring {
    ring_use use = ring_use::lookup;
    std::size_t producer = 0;
    std::size_t consumer = 0;
    unsigned size = 0;
};

struct wiring {
    std::vector<wired_thread> threads; // the host thread is the last
    std::vector<wired_ring> rings;
    std::vector<unsigned> transmit_queues; // number of queues in use, for each port

    std::size_t host() const noexcept { return threads.size() - 1; }
};

// `ports` lists what each port of the configuration offers; a count of 0 is treated as 1. The configuration
// must have been accepted by parse_config().
wiring plan_wiring(const config& settings, std::span<const port_queues> ports);

// The plan for devices with as many transmit queues as it needs. Used before the devices are known.
wiring plan_wiring(const config& settings);

// The plans for devices with fewer transmit queues, down to one, as buffer needs depend on that number.
std::vector<wiring> possible_wirings(const config& settings);

// Number of packets in the queue of a TAP.
inline constexpr unsigned tap_descriptors = 512;

// Number of packet buffers that devices take as soon as they start.
std::size_t buffers_at_start(const config& settings);

// Number of packet buffers that can be in use at the same time: in queues of devices, rings, bursts,
// neighbour queues and the caches of the threads.
std::size_t buffers_needed(const config& settings, const wiring& plan);

} // namespace fingerpost::router
