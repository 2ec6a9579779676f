// One trace: marks some of the received packets, and stages add events to the records of marked packets.
//
// A mark is a bit in the packet's flags, with the number of its record in a field that only traces use. Both
// travel with the packet. A trace always has 1,024 records: if the control thread does not take them fast
// enough, packets are missed; data threads never wait.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>

#include "fingerpost/net/any.hpp"
#include "router/packet/inspect_burst.hpp"
#include "router/watch/slots.hpp"
#include "router/watch/trace_record.hpp"

namespace fingerpost::router {

// Selects the packets to trace.
struct trace_filter {
    std::optional<std::uint16_t> port{}; // port that they arrive on
    std::optional<any_prefix> to{};      // prefix that contains their destination
    std::uint64_t count = 10;            // maximum number of packets
    std::uint64_t every = 1;             // trace one in this many matching packets
};

// Where an mbuf stores the mark of a traced packet.
struct trace_mark {
    std::uint64_t flag = 0;
    int field = -1;
    // Reserves the bit and the field, once per process. None if other libraries use all of them.
    static std::optional<trace_mark> reserve() noexcept;
};

class packet_trace {
  public:
    static constexpr std::size_t places = 1024;

    // `generation` distinguishes packets of this trace from those of earlier ones. Throws std::bad_alloc.
    packet_trace(const trace_filter& filter, const trace_mark& mark, std::uint16_t generation)
        : filter_(filter), mark_(mark), generation_(generation) {}
    packet_trace(const packet_trace&) = delete;
    packet_trace& operator=(const packet_trace&) = delete;

    // For data threads.

    // Marks the packets to trace, and clears the mark of all other packets in the burst.
    void receive(const sorted_burst& burst, std::uint16_t port, std::uint16_t queue,
                 std::uint8_t thread) noexcept;
    // Null if the packet is not traced.
    trace_record* record_of(const rte_mbuf& packet) noexcept {
        if ((packet.ol_flags & mark_.flag) == 0)
            return nullptr;
        const std::uint32_t mark = *RTE_MBUF_DYNFIELD(&packet, mark_.field, const std::uint32_t*);
        return mark >> 16 == generation_ ? &records_[mark & 0xffff] : nullptr;
    }
    // Adds the last event and passes the record to the control thread.
    void finish(trace_record& record, const trace_event& last) noexcept {
        record.add(last, true);
        records_.publish(record.slot);
    }

    // For the control thread.

    // Calls use(record) for each packet that has left or was dropped, until it returns false.
    template <class F>
    void take(F use) {
        records_.take(use);
    }
    // Calls use(record) for packets that the router still holds. Only when no data thread uses this trace any
    // more.
    template <class F>
    void take_unfinished(F use) {
        records_.take_unfinished(use);
    }
    const trace_filter& filter() const noexcept { return filter_; }
    // Number of marked packets, at most `count` of the filter.
    std::uint64_t begun() const noexcept {
        return std::min(begun_.load(std::memory_order_relaxed), filter_.count);
    }
    // Packets that were not traced because no record was free.
    std::uint64_t missed() const noexcept { return missed_.load(std::memory_order_relaxed); }

  private:
    bool matches(const rte_mbuf& frame) const noexcept;
    void begin(rte_mbuf& frame, const trace_event& checked, std::uint16_t queue) noexcept;

    trace_filter filter_;
    trace_mark mark_;
    std::uint16_t generation_;
    std::atomic<std::uint64_t> begun_{0};
    std::atomic<std::uint64_t> matches_{0}; // number of matching packets
    std::atomic<std::uint64_t> missed_{0};
    slots<trace_record, places> records_;
};

} // namespace fingerpost::router
