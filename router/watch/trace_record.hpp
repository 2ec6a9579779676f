// What a trace notes of one packet: its first bytes, and an event for each stage that it went through.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fingerpost/net/next_hop.hpp"

namespace fingerpost::router {

enum class trace_step_kind : std::uint8_t {
    checked,         // detail: a verdict (inspect.hpp); of a drop, `reason` is in `first`
    looked_up,       // detail: a hop_kind, that of `last`
    looked_up_again, // the same by the host thread, which tells `last` alone
    to_host,         // the host thread took it; detail: a host_cause
    answered,        // an ICMP error about it was made; detail: an icmp_error
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
    // Of a look-up: the next hop that the FIB has, the member of the group that the flow's hash selects (else
    // the same), and the neighbour's (else the same).
    std::uint32_t first = next_hop::none.id;
    std::uint32_t member = next_hop::none.id;
    std::uint32_t last = next_hop::none.id;
};

// A packet is in the hands of one thread at a time, and so is its record.
struct trace_record {
    static constexpr std::size_t most_events = 14;
    static constexpr std::size_t most_head = 128; // both IP headers with options or some extension headers
    static constexpr std::size_t most_sent = 64;  // Ethernet, VLAN tag, and an IP header without options

    std::uint64_t number = 0; // of the packet in its trace, from 1 on
    std::uint32_t length = 0; // of the frame, after what is behind the packet was cut off
    std::uint32_t flow = 0;   // the hash; only of packets to forward
    std::uint16_t port = 0;   // where it came in
    std::uint16_t queue = 0;
    std::uint16_t vlan = 0;
    bool tag_was_removed = false; // by the device
    std::uint8_t head_bytes = 0;
    std::uint8_t sent_bytes = 0;
    std::uint8_t events = 0;
    std::uint16_t slot = 0;
    std::array<std::uint8_t, most_head> head{};  // as it came in
    std::array<std::uint8_t, most_sent> after{}; // as it was sent
    std::array<trace_event, most_events> all{};

    // The last place is for the end; what does not fit is left out.
    void add(const trace_event& one, bool is_last = false) noexcept {
        if (events < most_events - (is_last ? 0 : 1))
            all[events++] = one;
    }
};

} // namespace fingerpost::router
