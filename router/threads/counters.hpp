// What a thread counts. Each thread writes its own counters; the control thread reads them meanwhile.
//
// Once all rings and queues are empty, the sums over all threads satisfy
//
//      received + from_kernel + made == sent + to_kernel + dropped
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <rte_config.h>

#include "fingerpost/base/memory.hpp"
#include "router/measure/counter.hpp"
#include "router/measure/hop_hits.hpp"
#include "router/measure/packet_samples.hpp"
#include "router/measure/stage_times.hpp"
#include "router/packet/drop_reason.hpp"
#include "router/watch/packet_watch.hpp"

namespace fingerpost::router {

// Packets of one port.
struct port_counters {
    counter received;
    counter sent;
    counter not_sent; // the device's queue was full
};

struct alignas(cache_line_bytes) thread_counters {
    counter received;    // from ports
    counter sent;        // by ports
    counter to_kernel;   // by TAPs
    counter from_kernel; // from TAPs
    counter made;        // ICMP errors, and fragments except the first of each packet
    std::array<counter, drop_reason_count> dropped;

    counter rounds;      // of the thread's loop
    counter idle_rounds; // that found nothing to do
    counter busy_cycles; // of the time stamp counter, in rounds that found something
    counter cycles;      // in all rounds
    counter lookups;     // bursts that were looked up
    counter looked_up;   // packets in them

    thread_watch watch{};                              // set before the thread starts
    std::array<port_counters, RTE_MAX_ETHPORTS> ports; // by the number of the port
    hop_hits hops;          // packets that were looked up, by next hop; of lookup threads
    packet_samples samples; // of them
    stage_times stages;

    void drop(drop_reason why, std::uint64_t n = 1) noexcept { dropped[index_of(why)].add(n); }

    // The packets of a thread that has ended.
    void add_packets(const thread_counters& other) noexcept {
        received.add(other.received.get());
        sent.add(other.sent.get());
        to_kernel.add(other.to_kernel.get());
        from_kernel.add(other.from_kernel.get());
        made.add(other.made.get());
        for (std::size_t why = 0; why < drop_reason_count; ++why)
            dropped[why].add(other.dropped[why].get());
        for (std::size_t port = 0; port < ports.size(); ++port) {
            ports[port].received.add(other.ports[port].received.get());
            ports[port].sent.add(other.ports[port].sent.get());
            ports[port].not_sent.add(other.ports[port].not_sent.get());
        }
    }
};

} // namespace fingerpost::router
