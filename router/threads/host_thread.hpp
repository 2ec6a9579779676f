// The host thread handles everything that is rare: it passes packets between ports and the kernel, sends ICMP
// errors, and holds packets until their neighbour is resolved.
//
// It never delays the data threads: their rings to it are bounded, and packets are dropped and counted when a
// ring is full.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <rte_mempool.h>
#include <rte_ring.h>

#include "router/config/wiring.hpp"
#include "router/packet/icmp.hpp"
#include "router/packet/rate_limit.hpp"
#include "router/ports/long_frames.hpp"
#include "router/threads/links_view.hpp"
#include "router/threads/lookup_stage.hpp"
#include "router/threads/neighbour_queue.hpp"
#include "router/threads/quiescence.hpp"
#include "router/threads/resolve_requests.hpp"
#include "router/threads/send_stage.hpp"

namespace fingerpost::router {

struct host_context {
    forwarding_view tables{};
    const published_links* links = nullptr;
    quiescence* grace = nullptr;
    rte_mempool* packets = nullptr; // for ICMP errors and fragments
    resolve_requests* requests = nullptr;
    const std::atomic<bool>* stop = nullptr;
    // DPDK's device numbers of the ports and of their TAPs. Without TAPs nothing is passed to the kernel.
    std::vector<std::uint16_t> devices{};
    std::vector<std::uint16_t> taps{};
    std::size_t neighbour_packets = 64;
    icmp_rates rates{};
    bool icmp_errors = true;
    std::vector<tap_file> tap_files{}; // used to pass long frames to the TAPs
    flow_key flows{};
};

class host_thread {
  public:
    // Fails with errc::out_of_memory.
    static expected<std::unique_ptr<host_thread>> create(host_context on, const wiring& plan,
                                                         std::span<rte_ring* const> rings,
                                                         thread_counters& counts) noexcept;

    // Runs in the thread itself until `stop` of the context is set.
    void run() noexcept;
    // Runs one round and returns the number of packets handled.
    std::size_t round() noexcept;
    // Handles only the packets in the rings to this thread; returns their number.
    std::size_t drain() noexcept;

    // To be called before it runs: takes the waiting packets and TAP files of a host thread that has ended.
    void take_over(host_thread& former) noexcept {
        neighbours_.take_over(former.neighbours_);
        std::swap(on_.tap_files, former.on_.tap_files);
    }

    // Number of packets that wait for neighbours. May be called by any thread.
    std::size_t waiting() const noexcept { return waiting_count_.load(std::memory_order_relaxed); }

  private:
    host_thread(host_context on, const wiring& plan, std::span<rte_ring* const> rings,
                thread_counters& counts, lookup_stage looking_up);

    std::size_t take_from_threads() noexcept;
    std::size_t take_from_kernel() noexcept;
    void poll_neighbours() noexcept;

    void handle(rte_mbuf* packet) noexcept;
    void give_to_kernel(rte_mbuf* packet) noexcept;
    bool does_kernel_take(std::uint16_t port, rte_mbuf* packet) noexcept;
    void answer(rte_mbuf* packet, host_cause why) noexcept;
    template <class A>
    void answer(rte_mbuf* packet, host_cause why, A to) noexcept;
    template <class A>
    links_view::sources sources_of_error(const rte_mbuf& packet, A to) noexcept;
    bool is_allowed(rte_mbuf& packet, host_cause why) noexcept;
    // Looks up a packet again, and then sends it, answers it, or lets it wait.
    void route(rte_mbuf* packet) noexcept;
    void route_own(rte_mbuf* packet) noexcept;
    void wait_for_neighbour(rte_mbuf* packet, const next_hop_entry& unresolved, bool own) noexcept;
    void trace_looked_up_again(const rte_mbuf& packet, const resolved_hop& out) noexcept;
    void drop(rte_mbuf* packet, drop_reason why) noexcept;
    resolved_hop resolve(const rte_mbuf& packet) noexcept;

    host_context on_;
    thread_counters* counts_;
    std::uint32_t number_;
    std::vector<rte_ring*> inputs_;
    frame_sender out_;
    send_stage sending_;
    lookup_stage looking_up_;
    icmp_limiter limiter_;
    neighbour_queue neighbours_;
    neighbour_queue::clock::time_point polled_{};
    std::atomic<std::size_t> waiting_count_{0};
};

} // namespace fingerpost::router
