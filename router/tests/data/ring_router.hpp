// The whole data plane between ring devices: the test inserts packets and takes them out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <vector>

#include "router/config/wiring.hpp"
#include "router/tests/data/addresses.hpp"
#include "router/tests/data/ring_device.hpp"
#include "router/threads/engine.hpp"

namespace fingerpost::router::testing {

// Number of threads of each kind, and number of transmit queues of each port.
struct shape {
    run_mode mode = run_mode::complete;
    unsigned receive = 1;
    unsigned lookup = 1;
    unsigned send = 1;
    unsigned transmit_queues = 8;
};
void PrintTo(const shape& one, std::ostream* to);

struct ring_router_options {
    std::array<std::uint16_t, 2> mtus{1500, 1500};
    bool taps = true;
    bool icmp_errors = true;
    bool sleeps = false; // threads without work sleep, as when there are more threads than cores
    std::size_t neighbour_packets = 64;
    vrf_list vrfs{};
    kernel_rates to_kernel{};
};

// Port i is the kernel's link 10 + i with the name fp<i> and the MAC address mac_of(i + 1).
class ring_router {
  public:
    // Must be called once, before anything else.
    void make(const shape& form, const ring_router_options& wanted = {});

    // The threads see these after a commit().
    void add_address(std::uint32_t interface, const char* address, std::uint8_t length);
    void resolve(std::uint32_t interface, const char* address, std::uint32_t mac);
    void announce(const any_prefix& where, const char* gateway, vrf_number vrf = default_vrf);
    void announce(const any_prefix& where, action what);
    void commit();

    // Runs in the calling thread until no more packets move.
    void run();
    // Runs in separate threads.
    void start();
    // Continues in other threads; the ports keep their queues.
    void exchange_threads(const shape& form, unsigned burst = 32);

    std::uint64_t sum(counter thread_counters::*which) const;
    std::uint64_t dropped(drop_reason why) const;
    std::uint64_t dropped() const;
    // Packets received and generated minus packets that have left or wait: 0, unless packets are on their
    // way.
    std::int64_t unaccounted() const;

    std::vector<std::unique_ptr<ring_device>> ports;
    std::vector<std::unique_ptr<ring_device>> taps;
    std::unique_ptr<engine> router;
};

} // namespace fingerpost::router::testing
