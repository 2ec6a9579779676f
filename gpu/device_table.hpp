// A table in the memory of a device, and its versions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "gpu/fib_copy.hpp"
#include "gpu/fingerpost_cuda_arrays.h"
#include "gpu/host_lanes.hpp"

namespace fingerpost::gpu {

// Forms of addresses in memory, with the numbers of the C interface.
enum class address_form { ipv4 = 32, ipv6_bytes = 128, ipv6_halves = FINGERPOST_CUDA_IPV6_HALVES };

// Events of lookups that may still run.
class lookups_in_flight {
  public:
    lookups_in_flight() = default;
    lookups_in_flight(const lookups_in_flight&) = delete;
    lookups_in_flight& operator=(const lookups_in_flight&) = delete;
    ~lookups_in_flight(); // waits for them

    // Returns an event to record after the next lookup. Call it before, because it may throw.
    event add();
    bool is_empty() noexcept;

  private:
    void forget_done() noexcept;

    std::vector<event> events_;
};

// One publication of a table: a FIB for each address family of its image.
class version {
  public:
    // Copies an image to the current device. If `before` is not null, only what differs from it is uploaded,
    // into the memory of `standby`, which may be null and must be idle. Throws gpu::failure and
    // std::bad_alloc; then `before` is still valid, but an update from it uploads more.
    version(std::span<const std::byte> image, version* before, version* standby);

    // Adds a lookup to a stream. `kernel` is a number of fingerpost_cuda_kernels.h.
    void look_up(address_form form, const void* addresses, next_hop* out, std::size_t count, stream in,
                 unsigned kernel);
    bool has_kernel(unsigned number) const noexcept; // for any family
    bool is_idle() noexcept { return in_flight_.is_empty(); }
    std::size_t bytes() const noexcept { return bytes_; }
    std::size_t uploaded_bytes() const noexcept { return uploaded_bytes_; }

  private:
    struct family {
        // By number. Without a name if there is none.
        std::array<kernel, 3> kernels{};
        const void* fib = nullptr;
    };
    template <class A>
    static void copy(std::span<const std::byte> image, array_upload& place, family& to);

    uploaded_arrays arrays_;
    std::size_t bytes_ = 0, uploaded_bytes_ = 0;
    family ipv4_, ipv6_;
    lookups_in_flight in_flight_; // destroyed first
};

// Functions throw gpu::failure and std::bad_alloc. Any thread may call them.
class table {
  public:
    table(std::span<const std::byte> image, int device);
    table(const table&) = delete;
    table& operator=(const table&) = delete;
    ~table();

    void update(std::span<const std::byte> image);
    // See fingerpost_cuda_kernels.h. Returns false, and changes nothing, if the current table has no such
    // kernel.
    bool choose_kernel(unsigned number) noexcept;
    void look_up(address_form form, const void* addresses, next_hop* out, std::size_t count, stream in);
    void look_up_host(address_form form, const void* addresses, next_hop* out, std::size_t count);
    std::size_t memory_bytes() const noexcept;
    std::size_t uploaded_bytes() const noexcept;

  private:
    void free_idle() noexcept;

    const int device_;
    std::mutex update_lock_;  // held before `lock_`
    mutable std::mutex lock_; // for the versions
    std::shared_ptr<version> current_;
    std::vector<std::shared_ptr<version>> old_; // some of their lookups may still run
    std::shared_ptr<version> standby_;          // an idle one, whose memory the next update takes, or null
    unsigned kernel_ = 0;
    std::mutex host_lock_; // for the lanes
    host_lanes lanes_;
};

} // namespace fingerpost::gpu
