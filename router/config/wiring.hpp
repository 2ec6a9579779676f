// The connections between threads: which queues each thread polls and to which threads it passes packets,
// with receive queues, rings and transmit queues. A pure function of the configuration and of what the
// devices offer; the data threads follow this plan.
//
//   receive  Queue k of all queues, counted over all ports, belongs to receive thread k modulo their number.
//   look up  A receive thread spreads flows over its lookup threads by the flow's hash. When one number of
//            threads divides the other, each thread has partners of its own, so that a pipeline stays in one
//            cache; else every receive thread feeds every lookup thread.
//   send     In a pipeline, port p belongs to send thread p modulo their number. Otherwise every thread that
//            looks up sends on its own transmit queue. Where a port has fewer of these than there are such
//            threads, it belongs to one thread, and the others hand their packets to that.
//   host     Every data thread has a ring to the host thread, which sends on a transmit queue of its own
//            where one is left, else over a ring to the port's owner.
//
// Each ring has one producer and one consumer. Thread numbers are indexes of wiring::threads, ring numbers of
// wiring::rings, port numbers of config::ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "router/config/config.hpp"

namespace fingerpost::router {

// What a device offers and the configuration uses.
struct port_queues {
    unsigned receive = 1;
    unsigned transmit = 1;
};

struct receive_queue {
    std::size_t port = 0;
    unsigned queue = 0;

    friend bool operator==(const receive_queue&, const receive_queue&) = default;
};

// How a thread sends packets to a port: by a transmit queue of its own, or by a ring to the thread that has
// one.
struct port_exit {
    std::optional<unsigned> queue{};
    std::optional<std::size_t> ring{};
};

struct wired_thread {
    std::string name{}; // receive0, lookup1, send0, fused0, complete0, host
    bool receives = false;
    bool looks_up = false;
    bool sends = false; // for data threads; the host thread sends what the kernel gives it
    std::vector<receive_queue> polls{};
    // The rings that it takes packets from, except the host's.
    std::vector<std::size_t> inputs{};
    // Chosen by the flow's hash modulo their number; if empty, the thread looks up itself.
    std::vector<std::size_t> lookup_rings{};
    // By port; empty for threads that do not choose a port.
    std::vector<port_exit> exits{};
    std::optional<std::size_t> to_host{};
    // The ring with the host thread's packets for ports that this thread owns.
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
    std::vector<unsigned> transmit_queues; // by port: number of queues in use

    std::size_t host() const noexcept { return threads.size() - 1; }
};

// `ports` has what each port of the configuration offers; a count of 0 is treated as 1. The configuration
// must have been accepted by parse_config().
wiring plan_wiring(const config& settings, std::span<const port_queues> ports);

// The plan for devices with as many transmit queues as it needs: what can be said before the devices are
// known.
wiring plan_wiring(const config& settings);

// The plans for devices with fewer and fewer of them, as what a plan needs depends on that.
std::vector<wiring> possible_wirings(const config& settings);

// Packets that the queue of a TAP holds.
inline constexpr unsigned tap_descriptors = 512;

// The number of packet buffers that devices take as soon as they start.
std::size_t buffers_at_start(const config& settings);

// The number of packet buffers that can be in use at once: in queues of devices, rings, bursts, queues of
// neighbours and the caches of the threads.
std::size_t buffers_needed(const config& settings, const wiring& plan);

} // namespace fingerpost::router
