// The third stage: decrements the hop count, writes the new Ethernet header, and sends.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <rte_mempool.h>
#include <rte_ring.h>

#include "router/config/wiring.hpp"
#include "router/forward/next_hop_entry.hpp"
#include "router/threads/burst.hpp"
#include "router/threads/counters.hpp"
#include "router/threads/host_cause.hpp"
#include "router/threads/kernel_limits.hpp"

namespace fingerpost::router {

// A transmit queue of a device, with DPDK's numbers.
struct transmit_queue {
    std::uint16_t device = 0;
    std::uint16_t queue = 0;
};

// The queues that a thread owns, by port. `devices` are DPDK's device numbers of the ports.
std::vector<std::optional<transmit_queue>> queues_of(const wired_thread& role,
                                                     std::span<const std::uint16_t> devices);

// Collects finished frames by port, so that a burst to one port is one driver call. In frames passed to
// another thread, the note of the ingress port contains the number of the exit port.
class frame_sender {
    // Room for two bursts, so that they usually leave in one driver call.
    struct frame_list {
        static constexpr std::size_t room = 2 * most_in_burst;
        std::size_t count = 0;
        std::array<rte_mbuf*, room> frames;
    };

  public:
    // `queues[p]` is the queue of port p if the thread owns one. Otherwise `rings[p]` leads to the thread
    // that does, or is nullptr if no frame is ever added for the port. `clock` times transmission.
    frame_sender(std::vector<std::optional<transmit_queue>> queues, std::vector<rte_ring*> rings,
                 thread_counters& counts, stage_clock* clock = nullptr)
        : queues_(std::move(queues)), rings_(std::move(rings)), lists_(queues_.size()), counts_(&counts),
          clock_(clock) {
        rings_.resize(queues_.size());
    }

    bool owns(std::uint16_t port) const noexcept {
        return port < queues_.size() && queues_[port].has_value();
    }
    void add(std::uint16_t port, rte_mbuf* frame) noexcept {
        frame_list& list = lists_[port];
        list.frames[list.count++] = frame;
        if (list.count == frame_list::room)
            flush(port);
    }
    // Makes room for a burst, whose frames may then be added with add_to_room().
    void make_room() noexcept {
        for (std::size_t port = 0; port < lists_.size(); ++port)
            if (lists_[port].count > frame_list::room - most_in_burst)
                flush(static_cast<std::uint16_t>(port));
    }
    void add_to_room(std::uint16_t port, rte_mbuf* frame) noexcept {
        frame_list& list = lists_[port];
        list.frames[list.count++] = frame;
    }
    // Sends all frames, and drops those that the driver does not accept.
    void flush() noexcept {
        for (std::size_t port = 0; port < lists_.size(); ++port)
            if (lists_[port].count != 0)
                flush(static_cast<std::uint16_t>(port));
    }

  private:
    void flush(std::uint16_t port) noexcept;
    void flush_timed(std::uint16_t port) noexcept;
    void send_off(std::uint16_t port) noexcept;
    unsigned transmit(std::uint16_t port, frame_list& list) noexcept;
    unsigned hand_over(std::uint16_t port, frame_list& list) noexcept;

    std::vector<std::optional<transmit_queue>> queues_;
    std::vector<rte_ring*> rings_;
    std::vector<frame_list> lists_;
    thread_counters* counts_;
    stage_clock* clock_;
};

class send_stage {
  public:
    send_stage(frame_sender& out, rte_mempool& fragments, thread_counters& counts)
        : out_(&out), fragments_(&fragments), counts_(&counts) {}

    // Processes packets whose next hops are of kind `forward`. Packets that cannot be forwarded are added to
    // `host`, which must have room for them. Frames stay in the sender until it is flushed. The second form
    // needs the packets' headers, and handles most packets without reading their mbufs.
    void run(std::span<rte_mbuf* const> packets, std::span<const next_hop_entry* const> entries,
             packet_list& host) noexcept;
    void run(std::span<rte_mbuf* const> packets, const burst_headers& headers,
             std::span<const next_hop_entry* const> entries, packet_list& host) noexcept;

  private:
    template <bool Ipv4>
    void run_plain(std::span<rte_mbuf* const> packets, const burst_headers& headers,
                   std::span<const next_hop_entry* const> entries, packet_list& host) noexcept;
    void send_one(rte_mbuf* packet, const next_hop_entry& entry, packet_list& host) noexcept;
    void send_otherwise(rte_mbuf* packet, const next_hop_entry& entry, packet_list& host) noexcept;
    void send_fragments(rte_mbuf* packet, const next_hop_entry& entry) noexcept;

    frame_sender* out_;
    rte_mempool* fragments_;
    thread_counters* counts_;
};

// The way to the host thread: a ring that a data thread never waits for.
class host_exit {
  public:
    host_exit(rte_ring* to, kernel_limits& limits, thread_counters& counts)
        : to_(to), limits_(&limits), counts_(&counts) {}
    // Passes on packets that carry their causes in their notes. Drops packets for which the ring has no room,
    // and packets for the kernel that exceed the limit.
    void give(packet_list& packets) noexcept;

  private:
    void police(packet_list& packets) noexcept;

    rte_ring* to_;
    kernel_limits* limits_;
    thread_counters* counts_;
};

} // namespace fingerpost::router
