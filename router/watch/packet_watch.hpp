// The running trace and capture, as data threads see them. Both are usually null, and cost a load and a
// branch per burst in each stage.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_mbuf.h>

#include "router/packet/drop_reason.hpp"
#include "router/watch/drop_capture.hpp"
#include "router/watch/packet_trace.hpp"

namespace fingerpost::router {

// Published and withdrawn by the control thread. A withdrawn object may be freed after a grace period.
struct packet_watch {
    std::atomic<packet_trace*> trace{nullptr};
    std::atomic<drop_capture*> capture{nullptr};
};

// The view of one data thread. Without `shared`, nothing is ever watched.
struct thread_watch {
    const packet_watch* shared = nullptr;
    std::uint8_t thread = 0;

    packet_trace* trace() const noexcept {
        return shared == nullptr ? nullptr : shared->trace.load(std::memory_order_acquire);
    }
    trace_event event(trace_step_kind what, std::uint8_t detail = 0, std::uint16_t port = 0) const noexcept {
        return {rte_rdtsc(), what, thread, detail, port};
    }

    // For rare packets: adds an event to the record of a traced packet.
    void note(const rte_mbuf& packet, trace_step_kind what, std::uint8_t detail = 0) const noexcept {
        if (packet_trace* const running = trace(); unlikely(running != nullptr))
            if (trace_record* const record = running->record_of(packet))
                record->add(event(what, detail));
    }
    // Adds the last event of a packet; to be called while the packet exists.
    void end(const rte_mbuf& packet, const trace_event& last) const noexcept {
        if (packet_trace* const running = trace(); unlikely(running != nullptr))
            if (trace_record* const record = running->record_of(packet))
                running->finish(*record, last);
    }
    // To be called before the packets are freed. `exit` is the port that they were about to leave by.
    void drop(std::span<rte_mbuf* const> packets, drop_reason why,
              std::optional<std::uint16_t> exit = std::nullopt) const noexcept {
        packet_trace* const records = trace();
        drop_capture* const copies =
            shared == nullptr ? nullptr : shared->capture.load(std::memory_order_acquire);
        if (likely(records == nullptr && copies == nullptr))
            return;
        for (const rte_mbuf* const packet : packets) {
            end(*packet, event(trace_step_kind::dropped, static_cast<std::uint8_t>(index_of(why))));
            if (copies != nullptr)
                copies->add(*packet, why, exit);
        }
    }
};

} // namespace fingerpost::router
