// The data plane as a whole: rings, threads and tables behind one object, for devices that are open already.
//
//      create()  makes everything, start() launches the threads on their lcores, stop() ends them
//      links(), routes()   what the control thread writes to; poll() it must call now and then
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
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
    flow_key flows{};
    // How many there are for each one that is timed or drawn, in the mean; 0: none is.
    unsigned time_one_in = 16;     // bursts, see stage_times.hpp
    unsigned sample_one_in = 1024; // packets, see packet_samples.hpp
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
    // Waits until the threads have ended, and sends the packets that are left in the rings.
    void stop() noexcept;

    forwarding& tables() noexcept { return *tables_; }
    const forwarding& tables() const noexcept { return *tables_; }
    resolve_requests& requests() noexcept { return requests_; }
    packet_watch& watch() noexcept { return watch_; }
    // Publishes what could not be published before, and frees what no data thread holds any more.
    void poll() noexcept { tables_->poll(); }

    const wiring& plan() const noexcept { return options_.plan; }
    const thread_counters& counters(std::size_t thread) const noexcept { return counters_[thread]; }
    std::size_t waiting() const noexcept { return host_->waiting(); }
    // Packets that were looked up and led to this next hop, or through it to a path of a group or to a
    // neighbour, in all threads, since it has its number.
    std::uint64_t hits(next_hop hop) const noexcept;
    // Calls use(sample) for each packet that was drawn since the last call.
    template <class F>
    void take_samples(F use) {
        for (thread_counters& one : counters_)
            one.samples.take(use);
    }
    std::uint64_t lost_samples() const noexcept;

    // One round of each thread in turn, in the calling thread, while the engine is not started: for tests,
    // and for machines with fewer cores than threads. Nothing may change meanwhile.
    std::size_t round() noexcept;
    // Sends the packets that are in the rings, while the engine is not started; receives nothing.
    void drain() noexcept;

  private:
    explicit engine(engine_options options);
    errc build();
    void publish_links() noexcept;
    std::uint64_t all_hits(next_hop hop) const noexcept;

    struct free_ring {
        void operator()(rte_ring* ring) const noexcept { rte_ring_free(ring); }
    };

    engine_options options_;
    quiescence grace_;
    std::vector<std::unique_ptr<rte_ring, free_ring>> rings_;
    packet_watch watch_;
    std::vector<thread_counters> counters_;
    std::vector<std::uint64_t> hits_before_; // by number: when it was given to the next hop that has it now
    resolve_requests requests_;
    std::unique_ptr<forwarding> tables_;
    std::unique_ptr<published_links> links_;
    station_filter stations_;
    std::vector<std::unique_ptr<worker>> workers_;
    std::unique_ptr<host_thread> host_;
    std::vector<unsigned> lcores_;
    std::atomic<bool> stop_{false};
};

} // namespace fingerpost::router
