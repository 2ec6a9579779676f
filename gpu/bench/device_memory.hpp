// Tables and arrays of the C interface that free themselves. A function that fails throws cli::failure with
// the reason.
#pragma once

#include <cstddef>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "gpu/fingerpost_cuda.h"
#include "gpu/fingerpost_cuda_arrays.h"
#include "terminal/failure.hpp"

namespace fingerpost::bench {

// `task` completes "cannot ...".
inline void require_ok(int code, const char* task) {
    if (code != FINGERPOST_CUDA_OK)
        throw cli::failure(fmt::format("cannot {}: {}", task, fingerpost_cuda_error()));
}

struct table_closer {
    void operator()(fingerpost_cuda_table* table) const noexcept { fingerpost_cuda_close(table); }
};
using device_table = std::unique_ptr<fingerpost_cuda_table, table_closer>;

// An array in the memory of a device.
class device_array {
  public:
    device_array() = default;
    device_array(int device, std::size_t bytes) : device_(device) {
        require_ok(fingerpost_cuda_allocate(device, bytes, &memory_), "allocate an array on the device");
    }
    device_array(device_array&& other) noexcept
        : device_(other.device_), memory_(std::exchange(other.memory_, nullptr)) {}
    device_array& operator=(device_array&& other) noexcept {
        std::swap(device_, other.device_);
        std::swap(memory_, other.memory_);
        return *this;
    }
    ~device_array() { (void)fingerpost_cuda_release(device_, memory_); }
    std::byte* get() const noexcept { return static_cast<std::byte*>(memory_); }

  private:
    int device_ = 0;
    void* memory_ = nullptr;
};

// An array in page-locked memory of the host.
class pinned_array {
  public:
    pinned_array() = default;
    explicit pinned_array(std::size_t bytes) {
        require_ok(fingerpost_cuda_allocate_pinned(bytes, &memory_), "allocate a pinned array");
    }
    pinned_array(pinned_array&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
    pinned_array& operator=(pinned_array&& other) noexcept {
        std::swap(memory_, other.memory_);
        return *this;
    }
    ~pinned_array() { (void)fingerpost_cuda_release_pinned(memory_); }
    std::byte* get() const noexcept { return static_cast<std::byte*>(memory_); }

  private:
    void* memory_ = nullptr;
};

} // namespace fingerpost::bench
