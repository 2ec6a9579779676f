// The memory for DPDK's tables: DPDK is started once, and then each table gets a heap of huge pages.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "fingerpost/base/expected.hpp"

namespace fingerpost::bench {

// DPDK without huge pages of its own allocates from 4 KiB pages, in which a table of 64 MiB is slower than
// necessary. It accepts external memory as an additional NUMA node; this memory is in transparent huge pages.
class dpdk_heap {
  public:
    // Call it if the program has started DPDK itself.
    static void dpdk_runs() noexcept;
    // Starts DPDK if it is not running yet. errc::unsupported if it does not start here.
    static expected<std::unique_ptr<dpdk_heap>> make(std::size_t bytes);
    ~dpdk_heap();
    dpdk_heap(const dpdk_heap&) = delete;
    dpdk_heap& operator=(const dpdk_heap&) = delete;

    // The node from which DPDK's functions allocate.
    int socket() const noexcept { return socket_; }
    // Unique in the process; objects of different kinds may share it.
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
