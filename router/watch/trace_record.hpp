// The record of one traced packet: its first bytes, and an event for each stage that it passed through.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fingerpost/net/next_hop.hpp"

namespace fingerpost::router {

enum class trace_step_kind : std::uint8_t {
    checked,         // detail: a verdict (inspect.hpp); for a drop, `first` is the reason
    looked_up,       // detail: the hop_kind of `last`
    looked_up_again, // by the host thread, with `last` only; detail: the hop_kind of `last`
    to_host,         // received by the host thread; detail: a host_cause
    answered,        // an ICMP error about it was generated; detail: an icmp_error
    waits,           // for the MAC address of its neighbour
    fragmented,      // into `first` frames for `port`; ends the trace, because fragments are not followed
    sent,            // by `port`; ends the trace, like the next two
    to_kernel,       // by the TAP of `port`
    dropped,         // detail: a drop_reason
};

struct trace_event {
    std::uint64_t cycles = 0; // of the time stamp counter
    trace_step_kind what{};
    std::uint8_t thread = 0;
    std::uint8_t detail = 0;
    std::uint16_t port = 0;
    // For a lookup: the next hop in the FIB, the group member selected by the flow hash, and the neighbour's
    // next hop. `member` and `last` repeat the previous one if there is no group or neighbour.
    std::uint32_t first = next_hop::none.id;
    std::uint32_t member = next_hop::none.id;
    std::uint32_t last = next_hop::none.id;
};

// A packet, and with it its record, is used by one thread at a time.
struct trace_record {
    static constexpr std::size_t most_events = 14;
    static constexpr std::size_t most_head = 128; // both IP headers with options or some extension headers
    static constexpr std::size_t most_sent = 64;  // Ethernet, VLAN tag, and an IP header without options

    std::uint64_t number = 0; // of the packet in its trace, from 1 on
    std::uint32_t length = 0; // of the frame, after bytes following the packet were removed
    std::uint32_t flow = 0;   // flow hash; only for packets to forward
    std::uint16_t port = 0;   // port that it arrived on
    std::uint16_t queue = 0;
    std::uint16_t vlan = 0;
    bool tag_was_removed = false; // by the device
    std::uint8_t head_bytes = 0;
    std::uint8_t sent_bytes = 0;
    std::uint8_t events = 0;
    std::uint16_t slot = 0;
    std::array<std::uint8_t, most_head> head{};  // before the checks
    std::array<std::uint8_t, most_sent> after{}; // when sent
    std::array<trace_event, most_events> history{};

    // The last element is reserved for the final event; events that do not fit are discarded.
    void add(const trace_event& event, bool is_last = false) noexcept {
        if (events < most_events - (is_last ? 0 : 1))
            history[events++] = event;
    }
};

} // namespace fingerpost::router
