// Limits the rate of packets that each port passes to the kernel. Any sender can send such packets, and each
// takes time of the host thread, which all ports share. Data threads check the limit before they enqueue a
// packet.
#pragma once

#include <array>
#include <cstdint>

#include <rte_config.h>
#include <rte_cycles.h>

#include "fingerpost/base/memory.hpp"
#include "router/packet/rate_limit.hpp"

namespace fingerpost::router {

class kernel_limits {
  public:
    explicit kernel_limits(const kernel_rates& rates)
        : rate_{rates.per_second == 0 ? 0 : rte_get_tsc_hz() / rates.per_second, rates.burst} {}

    // Returns true if another packet may be passed. May be called by any thread.
    bool take(std::uint16_t port, std::uint64_t now) noexcept {
        return rate_.interval == 0 || buckets_[port].of.take(rate_, now);
    }

  private:
    struct alignas(cache_line_bytes) bucket {
        shared_bucket of;
    };
    token_rate rate_;
    std::array<bucket, RTE_MAX_ETHPORTS> buckets_{};
};

} // namespace fingerpost::router
