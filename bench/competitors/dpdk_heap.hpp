// Memory that DPDK's tables are made in: DPDK started once, then a heap of huge pages for each table.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "fingerpost/base/expected.hpp"

namespace fingerpost::bench {

// DPDK without huge pages of its own allocates from 4 KiB pages, in which a table of 64 MiB is slower than it
// should be. It takes memory from outside as one more NUMA node, and that memory is in transparent ones.
class dpdk_heap {
  public:
    // Says that the program has started DPDK itself.
    static void dpdk_runs() noexcept;
    // Starts DPDK when nobody has yet. errc::unsupported when it does not start here.
    static expected<std::unique_ptr<dpdk_heap>> make(std::size_t bytes);
    ~dpdk_heap();
    dpdk_heap(const dpdk_heap&) = delete;
    dpdk_heap& operator=(const dpdk_heap&) = delete;

    // The node that DPDK's functions allocate from.
    int socket() const noexcept { return socket_; }
    // Unlike every other in the process; objects of different kinds may share it.
    const std::string& name() const noexcept { return name_; }

  private:
    dpdk_heap() = default;
    errc open(std::size_t bytes);

    std::string name_;
    void* memory_ = nullptr;
    std::size_t size_ = 0;
    int socket_ = -1;
    bool created_ = false;
    bool added_ = false;
};

} // namespace fingerpost::bench
