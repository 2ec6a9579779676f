// Counters of one thread. Only that thread writes them; the control thread reads them concurrently.
//
// Once all rings and queues are empty, the sums over all threads satisfy
//
//   received + from_kernel + generated == sent + to_kernel + dropped
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
    counter to_kernel;   // to TAPs
    counter from_kernel; // from TAPs
    counter generated;   // ICMP errors, and fragments other than the first of each packet
    std::array<counter, drop_reason_count> dropped;

    counter rounds;      // of the thread's loop
    counter idle_rounds; // rounds without work
    counter busy_cycles; // of the time stamp counter, in rounds with work
    counter cycles;      // in all rounds
    counter lookups;     // number of bursts looked up
    counter looked_up;   // number of packets in these bursts

    thread_watch watch{};                              // set before the thread starts
    std::array<port_counters, RTE_MAX_ETHPORTS> ports; // by port number
    hop_hits hops;                                     // looked-up packets by next hop; for lookup threads
    packet_samples samples;                            // a sample of these packets
    stage_times stages;

    void drop(drop_reason why, std::uint64_t n = 1) noexcept { dropped[index_of(why)].add(n); }

    // Adds the packets of a thread that has ended.
    void add_packets(const thread_counters& other) noexcept {
        received.add(other.received.get());
        sent.add(other.sent.get());
        to_kernel.add(other.to_kernel.get());
        from_kernel.add(other.from_kernel.get());
        generated.add(other.generated.get());
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
