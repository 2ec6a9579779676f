// One capture: copies of dropped packets, with the reasons.
//
// It has places for 512 packets of up to 2,048 bytes. Packets dropped while all places are in use are missed
// and counted.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include <rte_mbuf.h>

#include "router/packet/drop_reason.hpp"
#include "router/watch/slots.hpp"

namespace fingerpost::router {

struct dropped_packet {
    static constexpr std::size_t most_bytes = 2048;

    std::uint64_t cycles = 0; // of the time stamp counter
    std::uint32_t length = 0; // of the frame
    std::uint16_t port = 0;
    drop_reason why{};
    bool is_outbound = false; // about to leave by `port`, with the header for it; otherwise it arrived there
    std::uint16_t bytes_copied = 0;
    std::array<std::uint8_t, most_bytes> bytes{};
};

class drop_capture {
  public:
    // Throws std::bad_alloc.
    explicit drop_capture(std::uint64_t count) : count_(count) {}
    drop_capture(const drop_capture&) = delete;
    drop_capture& operator=(const drop_capture&) = delete;

    // For data threads, before the packet is freed. `exit` is the port that the packet was about to leave by.
    void add(const rte_mbuf& packet, drop_reason why, std::optional<std::uint16_t> exit) noexcept;

    // For the control thread. Calls use(packet) for each captured packet, until it returns false.
    template <class F>
    void take(F use) {
        packets_.take(use);
    }
    std::uint64_t count() const noexcept { return count_; }
    std::uint64_t begun() const noexcept { return std::min(begun_.load(std::memory_order_relaxed), count_); }
    std::uint64_t missed() const noexcept { return missed_.load(std::memory_order_relaxed); }

  private:
    std::uint64_t count_;
    std::atomic<std::uint64_t> begun_{0};
    std::atomic<std::uint64_t> missed_{0};
    slots<dropped_packet, 512> packets_;
};

} // namespace fingerpost::router
