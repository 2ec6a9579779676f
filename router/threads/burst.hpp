// A list of packets on the stack of a stage, with room for one burst.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <span>

#include <rte_mbuf.h>

#include "router/packet/inspect_burst.hpp"

namespace fingerpost::router {

class packet_list {
  public:
    void add(rte_mbuf* packet) noexcept {
        assert(size_ < most_in_burst);
        packets_[size_++] = packet;
    }
    void clear() noexcept { size_ = 0; }
    // To be called after writing this many elements of data().
    void set_size(std::size_t size) noexcept {
        assert(size <= most_in_burst);
        size_ = size;
    }
    bool empty() const noexcept { return size_ == 0; }
    std::size_t size() const noexcept { return size_; }
    rte_mbuf** data() noexcept { return packets_.data(); }
    rte_mbuf* operator[](std::size_t i) const noexcept { return packets_[i]; }
    std::span<rte_mbuf*> span() noexcept { return {packets_.data(), size_}; }

  private:
    std::size_t size_ = 0;
    std::array<rte_mbuf*, most_in_burst> packets_;
};

} // namespace fingerpost::router
