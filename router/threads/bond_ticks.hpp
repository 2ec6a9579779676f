// Calls that DPDK's bonding driver needs: it sends the frames of LACP when its ports transmit, also when they
// transmit nothing, and that must be every 100 ms at least.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>

#include "router/threads/send_stage.hpp"

namespace fingerpost::router {

class bond_ticks {
  public:
    // For those of a thread's queues that belong to the bonding driver; for other threads tick() is a branch.
    explicit bond_ticks(const std::vector<std::optional<transmit_queue>>& queues) {
        for (const auto& one : queues) {
            rte_eth_dev_info info{};
            if (one && rte_eth_dev_info_get(one->device, &info) == 0 && info.driver_name != nullptr &&
                std::string_view(info.driver_name) == "net_bonding")
                queues_.push_back(*one);
        }
    }

    // In each round of the thread.
    void tick() noexcept {
        if (unlikely(!queues_.empty()) && rte_rdtsc() >= next_)
            transmit_nothing();
    }

  private:
    void transmit_nothing() noexcept {
        next_ = rte_rdtsc() + rte_get_tsc_hz() / 50;
        for (const transmit_queue& one : queues_) {
            rte_mbuf* none = nullptr;
            (void)rte_eth_tx_burst(one.device, one.queue, &none, 0);
        }
    }

    std::vector<transmit_queue> queues_;
    std::uint64_t next_ = 0; // by the time stamp counter
};

} // namespace fingerpost::router
