// The packet buffers. Ports by af_xdp have a pool of their own, because the kernel takes their buffers as one
// piece of memory in frames of one size, and DPDK's driver reckons its length from the size of a buffer:
//
//      buffers of a page   one for each frame, aligned, so that none is outside that memory and none crosses
//                          a page, which a driver without copies would refuse
//      other buffers       as long as the longest frame; in ordinary pages they follow each other without
//                          gaps
//
// DPDK's own pools put a buffer into one page, so in ordinary pages they leave gaps, and take more memory
// than the buffers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <rte_mempool.h>

#include "fingerpost/base/expected.hpp"
#include "router/config/config.hpp"
#include "router/config/wiring.hpp"

namespace fingerpost::router {

// The bytes that packet buffers and rings take, with what manages them, whatever the devices offer.
std::size_t packet_memory(const config& settings);

class packet_pools {
  public:
    // After DPDK's environment has started. The error is a sentence.
    static expected<packet_pools, std::string> create(const config& settings, const wiring& plan);

    // For the queues of a port and its TAP.
    rte_mempool& of(std::size_t port) const noexcept { return *pools_[by_port_[port]]; }
    // For packets that the router makes.
    rte_mempool& any() const noexcept { return *pools_.front(); }
    // The longest packet that the buffers of a port hold.
    unsigned longest_packet(std::size_t port) const noexcept { return longest_[port]; }

    // Of all pools together.
    std::size_t size() const noexcept;
    std::size_t in_use() const noexcept;

  private:
    struct free_pool {
        void operator()(rte_mempool* pool) const noexcept { rte_mempool_free(pool); }
    };
    std::vector<std::unique_ptr<rte_mempool, free_pool>> pools_;
    std::vector<std::size_t> by_port_;
    std::vector<unsigned> longest_; // by port
};

} // namespace fingerpost::router
