// The packet buffers. Ports on af_xdp have a separate pool, because the kernel takes their buffers as one
// piece of memory in frames of equal size, and DPDK's driver computes its length from the buffer size:
//
//   page-sized buffers  one for each frame, aligned, so that none is outside that memory and none crosses a
//                       page boundary, which a zero-copy driver would refuse
//   other buffers       as long as the longest frame; contiguous in ordinary pages
//
// DPDK's own pools keep each buffer within a page, so in ordinary pages they leave gaps and need more memory
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

// Bytes for packet buffers and rings, with their management data, for any number of device queues.
std::size_t packet_memory(const config& settings);

class packet_pools {
  public:
    // To be called after DPDK's environment has started. The error is a sentence.
    static expected<packet_pools, std::string> create(const config& settings, const wiring& plan);

    // The pool for the queues of a port and its TAP.
    rte_mempool& of(std::size_t port) const noexcept { return *pools_[by_port_[port]]; }
    // The pool for packets that the router generates.
    rte_mempool& any() const noexcept { return *pools_.front(); }
    // Longest packet that fits into the buffers of a port.
    unsigned longest_packet(std::size_t port) const noexcept { return longest_[port]; }

    // Totals over all pools.
    std::size_t size() const noexcept;
    std::size_t in_use() const noexcept;

  private:
    struct free_pool {
        void operator()(rte_mempool* pool) const noexcept { rte_mempool_free(pool); }
    };
    std::vector<std::unique_ptr<rte_mempool, free_pool>> pools_;
    std::vector<std::size_t> by_port_;
    std::vector<unsigned> longest_; // for each port
};

} // namespace fingerpost::router
