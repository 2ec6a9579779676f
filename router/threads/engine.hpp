// The data plane as a whole: rings, threads and tables behind one object, for devices that are open already.
//
//      create()  makes everything, start() launches the threads on their lcores, stop() ends them
//      links(), routes()   what the control thread writes to; poll() it must call now and then
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
    std::string scheme{}; // empty: the default one
    // As in forwarding_options.
    const scheme_entry<ipv4_address>* ipv4_scheme = nullptr;
    const scheme_entry<ipv6_address>* ipv6_scheme = nullptr;
    wiring plan{};
    std::vector<std::uint16_t> devices{}; // DPDK's numbers of the ports
    std::vector<rte_ether_addr> macs{};   // of the ports
    std::vector<std::uint16_t> taps{};    // DPDK's numbers of their TAPs
    std::vector<std::string> tap_names{}; // the kernel's names of them
    vrf_list vrfs{};
    std::vector<tap_file> tap_files{}; // for passing long frames to them; there may be none
    rte_mempool* packets = nullptr;
    unsigned burst = 32;
    bool sleeps = false;
    std::size_t neighbour_packets = 64;
    icmp_rates rates{};
    bool icmp_errors = true;
    kernel_rates to_kernel{};
    flow_key flows{};
    // How many there are for each one that is timed or drawn, in the mean; 0: none is.
    unsigned time_one_in = 64;     // bursts, see stage_times.hpp
    unsigned sample_one_in = 1024; // packets, see packet_samples.hpp
};

// What can be other for the next threads.
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
    // errc::not_found: no such scheme; errc::out_of_memory.
    static expected<std::unique_ptr<engine>> create(engine_options options) noexcept;
    ~engine();
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;

    // `lcores[i]` runs thread i of the plan. False if one of them is already running something else.
    bool start(std::span<const unsigned> lcores) noexcept;
    // Other threads take the place of those that run: thread i of the plan on core `cores[i]`. Packets wait
    // in the queues of the devices meanwhile, for as long as threads take to end and to start. After an error
    // the former threads run on.
    errc exchange_threads(thread_options wanted, std::span<const unsigned> cores) noexcept;
    // How long packets waited in the last exchange.
    std::chrono::nanoseconds pause() const noexcept { return pause_; }
    // Waits until the threads have ended, and sends the packets that are left in the rings.
    void stop() noexcept;

    forwarding& tables() noexcept { return *tables_; }
    const forwarding& tables() const noexcept { return *tables_; }
    resolve_requests& requests() noexcept { return requests_; }
    packet_watch& watch() noexcept { return watch_; }
    // Publishes what could not be published before, and frees what no data thread holds any more.
    void poll() noexcept { tables_->poll(); }

    const wiring& plan() const noexcept { return options_.plan; }
    const thread_counters& counters(std::size_t thread) const noexcept { return now_.counters[thread]; }
    // The packets of threads that were exchanged.
    const thread_counters& former_counters() const noexcept { return former_; }
    std::size_t waiting() const noexcept { return now_.host->waiting(); }
    // Packets that were looked up and led to this next hop, or through it to a path of a group or to a
    // neighbour, in all threads, since it has its number.
    std::uint64_t hits(next_hop hop) const noexcept;
    // Calls use(sample) for each packet that was drawn since the last call.
    template <class F>
    void take_samples(F use) {
        for (thread_counters& one : now_.counters)
            one.samples.take(use);
    }
    std::uint64_t lost_samples() const noexcept;

    // One round of each thread in turn, in the calling thread, while the engine is not started: for tests,
    // and for machines with fewer cores than threads. Nothing may change meanwhile.
    std::size_t round() noexcept;
    // Sends the packets that are in the rings, while the engine is not started; receives nothing.
    void drain() noexcept;

  private:
    struct free_ring {
        void operator()(rte_ring* ring) const noexcept { rte_ring_free(ring); }
    };
    // Rings and threads by one plan.
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
    // Where a thread runs, and on which core if DPDK has not pinned it there.
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
    static int run_seat(void* one);

    engine_options options_;
    quiescence grace_;
    packet_watch watch_;
    std::vector<std::uint64_t> hits_before_; // by number: when it was given to the next hop that has it now
    resolve_requests requests_;
    std::unique_ptr<forwarding> tables_;
    std::unique_ptr<published_links> links_;
    station_filter stations_;
    crew now_;
    thread_counters former_;
    std::uint64_t former_lost_samples_ = 0;
    std::uint64_t former_unrouted_ = 0;     // packets without a route
    std::vector<unsigned> lcores_;          // that DPDK has made
    std::vector<seat> seats_;               // of the threads that run
    std::vector<std::thread> more_threads_; // than DPDK has made
    std::atomic<bool> stop_{false};
    std::chrono::nanoseconds pause_{};
};

} // namespace fingerpost::router
