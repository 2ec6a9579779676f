// Transmit calls for DPDK's bonding driver. It sends LACP frames from within transmit calls, which must
// therefore happen at least every 100 ms, even when there is nothing to send.
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
    // Selects the queues that belong to the bonding driver. For threads without one, tick() is a single
    // branch.
    explicit bond_ticks(const std::vector<std::optional<transmit_queue>>& queues) {
        for (const auto& queue : queues) {
            rte_eth_dev_info info{};
            if (queue && rte_eth_dev_info_get(queue->device, &info) == 0 && info.driver_name != nullptr &&
                std::string_view(info.driver_name) == "net_bonding")
                queues_.push_back(*queue);
        }
    }

    // To be called in each round of the thread.
    void tick() noexcept {
        if (unlikely(!queues_.empty()) && rte_rdtsc() >= next_)
            transmit_nothing();
    }

  private:
    void transmit_nothing() noexcept {
        next_ = rte_rdtsc() + rte_get_tsc_hz() / 50;
        for (const transmit_queue& queue : queues_) {
            rte_mbuf* none = nullptr;
            (void)rte_eth_tx_burst(queue.device, queue.queue, &none, 0);
        }
    }

    std::vector<transmit_queue> queues_;
    std::uint64_t next_ = 0; // in cycles of the time stamp counter
};

} // namespace fingerpost::router
