// A data thread: runs its stages of the wiring, one round after another.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <rte_ring.h>

#include "router/config/wiring.hpp"
#include "router/threads/bond_ticks.hpp"
#include "router/threads/links_view.hpp"
#include "router/threads/lookup_stage.hpp"
#include "router/threads/quiescence.hpp"
#include "router/threads/send_stage.hpp"

namespace fingerpost::router {

// Context shared by all data threads.
struct worker_context {
    forwarding_view tables{};
    const published_links* links = nullptr;
    quiescence* grace = nullptr;
    rte_mempool* fragments = nullptr;
    std::vector<std::uint16_t> devices{}; // DPDK's device numbers of the ports
    const std::atomic<bool>* stop = nullptr;
    unsigned burst = 32;
    bool sleeps = false; // when there is nothing to do
    flow_key flows{};
    unsigned time_one_in = 0;   // bursts, as in stage_clock
    unsigned sample_one_in = 0; // packets, as in packet_samples
    kernel_limits* limits = nullptr;
};

class worker {
  public:
    // `rings` are indexed by their numbers in the wiring; `number` is the thread's number. Fails with
    // errc::out_of_memory.
    static expected<std::unique_ptr<worker>> create(const worker_context& on, const wiring& plan,
                                                    std::size_t number, std::span<rte_ring* const> rings,
                                                    thread_counters& counts) noexcept;

    // Runs in the thread itself until `stop` of the context is set.
    void run() noexcept;
    // Runs one round and returns the number of packets handled.
    std::size_t round() noexcept;
    // Like round(), but handles only packets in the rings to this thread.
    std::size_t drain() noexcept;

  private:
    worker(const worker_context& on, const wired_thread& role, std::uint32_t number,
           std::span<rte_ring* const> rings, const wiring& plan, thread_counters& counts);

    std::size_t receive(const receive_queue& from) noexcept;
    std::size_t take(rte_ring* from, ring_use use) noexcept;
    void flush() noexcept;
    void look_up(std::span<rte_mbuf* const> packets, burst_headers& headers) noexcept;
    void share_out(looked_up& result) noexcept;
    void hand_on(std::span<rte_mbuf* const> packets) noexcept;
    void send_looked_up(std::span<rte_mbuf* const> packets) noexcept;
    void send(std::span<rte_mbuf* const> packets, std::span<const next_hop_entry* const> entries) noexcept;

    struct input {
        rte_ring* ring;
        ring_use use;
    };
    struct exit_ring {
        rte_ring* ring = nullptr; // null: the thread sends by itself
        packet_list waiting;
    };

    worker_context on_;
    thread_counters* counts_;
    stage_clock clock_;
    std::uint32_t number_;
    std::vector<receive_queue> polls_;
    std::vector<input> inputs_;
    std::vector<exit_ring> lookups_; // by flow
    std::vector<exit_ring> exits_;   // by port
    bool sends_all_ = false;         // no exit leads to another thread
    frame_sender out_;
    send_stage sending_;
    std::optional<lookup_stage> looking_up_;
    host_exit host_;
    bond_ticks bonds_;
};

} // namespace fingerpost::router
