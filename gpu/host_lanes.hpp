// Lookups of addresses in the memory of the host: chunks in several streams, so that copies to the device,
// lookups and copies back overlap.
#pragma once

#include <array>
#include <cstddef>
#include <functional>

#include "gpu/device.hpp"

namespace fingerpost::gpu {

// Used by one thread at a time. Functions use the current device, which must always be the same.
class host_lanes {
  public:
    // Adds a lookup of `count` addresses on the device to a stream.
    using lookup = std::function<void(const void* addresses, next_hop* out, std::size_t count, stream in)>;

    host_lanes() = default;
    host_lanes(const host_lanes&) = delete;
    host_lanes& operator=(const host_lanes&) = delete;
    ~host_lanes();
    void release() noexcept; // waits for all lookups, and frees the buffers until the next run

    // Addresses have `address_bytes` bytes. Throws gpu::failure and std::bad_alloc; then no lookup runs any
    // more, and results are incomplete.
    void run(const void* addresses, std::size_t address_bytes, next_hop* out, std::size_t count,
             const lookup& look_up);

  private:
    static constexpr std::size_t chunk = std::size_t{1} << 18; // addresses
    static constexpr std::size_t widest = 16;                  // bytes of an address

    // A stream, and buffers for one chunk. Its results go to `out` when the stream is done.
    struct lane {
        stream in = nullptr;
        void* addresses = nullptr; // on the device
        void* hops = nullptr;
        void* pinned_addresses = nullptr;
        void* pinned_hops = nullptr;
        next_hop* out = nullptr; // where the results of its last chunk belong, or null
        std::size_t count = 0;
    };
    void prepare();
    static void finish(lane&);

    std::array<lane, 4> lanes_;
    bool is_ready_ = false;
};

} // namespace fingerpost::gpu
