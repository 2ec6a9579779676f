// The data plane as one object: rings, threads and tables for devices that are already open.
//
//   create()            builds everything; start() launches the threads on their lcores, stop() ends them
//   links(), routes()   written by the control thread, which must also call poll() regularly
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <rte_mempool.h>
#include <rte_ring.h>

#include "router/forward/forwarding.hpp"
#include "router/ports/long_frames.hpp"
#include "router/ports/station_filter.hpp"
#include "router/threads/host_thread.hpp"
#include "router/threads/worker.hpp"

namespace fingerpost::router {

struct engine_options {
    std::string scheme{}; // empty: the default scheme
    // See forwarding_options.
    const scheme_entry<ipv4_address>* ipv4_scheme = nullptr;
    const scheme_entry<ipv6_address>* ipv6_scheme = nullptr;
    wiring plan{};
    std::vector<std::uint16_t> devices{}; // DPDK's device numbers of the ports
    std::vector<rte_ether_addr> macs{};   // of the ports
    std::vector<std::uint16_t> taps{};    // DPDK's device numbers of their TAPs
    std::vector<std::string> tap_names{}; // interface names of the TAPs
    vrf_list vrfs{};
    std::vector<tap_file> tap_files{}; // used to pass long frames to the TAPs; may be empty
    rte_mempool* packets = nullptr;
    unsigned burst = 32;
    bool sleeps = false;
    std::size_t neighbour_packets = 64;
    icmp_rates rates{};
    bool icmp_errors = true;
    kernel_rates to_kernel{};
    flow_key flows{};
    // One in this many, on average, is timed or sampled; 0: none.
    unsigned time_one_in = 64;     // bursts, see stage_times.hpp
    unsigned sample_one_in = 1024; // packets, see packet_samples.hpp
};

// Options that can change when threads are replaced.
struct thread_options {
    wiring plan{};
    unsigned burst = 32;
    bool sleeps = false;
    std::size_t neighbour_packets = 64;
    icmp_rates rates{};
    bool icmp_errors = true;
    kernel_rates to_kernel{};
};

class engine {
  public:
    // Fails with errc::not_found for an unknown scheme, or errc::out_of_memory.
    static expected<std::unique_ptr<engine>> create(engine_options options) noexcept;
    ~engine();
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;

    // `lcores[i]` runs thread i of the plan. Returns false if one of them is busy.
    bool start(std::span<const unsigned> lcores) noexcept;
    // Replaces the running threads: thread i of the plan runs on core `cores[i]`. Until the new threads have
    // started, packets wait in the queues of the devices. After an error the old threads continue.
    errc exchange_threads(thread_options options, std::span<const unsigned> cores) noexcept;
    // How long packets waited in the last exchange.
    std::chrono::nanoseconds pause() const noexcept { return pause_; }
    // Waits until the threads have ended, and sends the packets left in the rings.
    void stop() noexcept;

    forwarding& tables() noexcept { return *tables_; }
    const forwarding& tables() const noexcept { return *tables_; }
    resolve_requests& requests() noexcept { return requests_; }
    packet_watch& watch() noexcept { return watch_; }
    // Retries postponed publications, and frees objects that no data thread uses any more.
    void poll() noexcept { tables_->poll(); }

    const wiring& plan() const noexcept { return options_.plan; }
    const thread_counters& counters(std::size_t thread) const noexcept { return now_.counters[thread]; }
    // Totals of the threads that were replaced.
    const thread_counters& former_counters() const noexcept { return former_; }
    std::size_t waiting() const noexcept { return now_.host->waiting(); }
    // Total hits of a next hop in all threads since it got its number: packets that looked it up, or reached
    // it as a path of a group or as a neighbour.
    std::uint64_t hits(next_hop hop) const noexcept;
    // Calls use(sample) for each packet sampled since the last call.
    template <class F>
    void take_samples(F use) {
        for (thread_counters& counts : now_.counters)
            counts.samples.take(use);
    }
    std::uint64_t lost_samples() const noexcept;

    // Runs one round of each thread in the calling thread, while the engine is not started. For tests, and
    // for machines with fewer cores than threads. Nothing may change in the meantime.
    std::size_t round() noexcept;
    // Sends the packets in the rings while the engine is not started. Does not receive.
    void drain() noexcept;

  private:
    struct free_ring {
        void operator()(rte_ring* ring) const noexcept { rte_ring_free(ring); }
    };
    // Rings and threads of one plan.
    struct crew {
        std::vector<std::unique_ptr<rte_ring, free_ring>> rings;
        std::vector<thread_counters> counters;
        std::unique_ptr<kernel_limits> limits;
        std::vector<std::unique_ptr<worker>> workers;
        std::unique_ptr<host_thread> host;

        crew() = default;
        crew(crew&&) = default;
        crew& operator=(crew&&) = default;
        ~crew();
    };
    // A running thread, and its core if DPDK has not pinned it.
    struct seat {
        worker* data = nullptr; // null: the host thread
        host_thread* host = nullptr;
        std::optional<unsigned> core{};
    };

    explicit engine(engine_options options);
    errc build();
    errc make_crew(crew& into, quiescence& grace);
    void keep_counts() noexcept;
    std::uint64_t all_hits(next_hop hop) const noexcept;
    void publish_links() noexcept;
    bool launch(std::span<const unsigned> cores) noexcept;
    static int run_seat(void* argument);

    engine_options options_;
    quiescence grace_;
    packet_watch watch_;
    std::vector<std::uint64_t> hits_before_; // by number: total hits when the current next hop got it
    resolve_requests requests_;
    std::unique_ptr<forwarding> tables_;
    std::unique_ptr<published_links> links_;
    station_filter stations_;
    crew now_;
    thread_counters former_;
    std::uint64_t former_lost_samples_ = 0;
    std::uint64_t former_unrouted_ = 0;     // packets without a route
    std::vector<unsigned> lcores_;          // created by DPDK
    std::vector<seat> seats_;               // of the running threads
    std::vector<std::thread> more_threads_; // threads in addition to the lcores
    std::atomic<bool> stop_{false};
    std::chrono::nanoseconds pause_{};
};

} // namespace fingerpost::router
