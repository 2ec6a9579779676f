// Uploads the arrays of a version of a table. The device copies what it has in the version before, and only
// what differs comes from the host.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gpu/device.hpp"

namespace fingerpost::gpu {

// An array of a FIB, on a device.
struct uploaded_array {
    device_memory memory;
    std::size_t capacity = 0;       // of `memory`, in bytes
    std::vector<std::byte> content; // its bytes, on the host; empty after an update from this version began
};

// Arrays in the order in which their FIBs list them.
using uploaded_arrays = std::vector<uploaded_array>;

// One upload to the current device. Functions throw gpu::failure and std::bad_alloc. After an error the
// content of `to` is undefined. The memory of `before` never changes.
class array_upload {
  public:
    // `to` may have memory from an earlier upload, which is reused. `before` is null in a first upload.
    array_upload(uploaded_arrays& to, uploaded_arrays* before, stream in) noexcept
        : to_(to), before_(before), in_(in) {}

    // Places the next array, and returns its position on the device, or null if it is empty.
    template <class T>
    const T* operator()(std::span<const T> items) {
        return static_cast<const T*>(place(std::as_bytes(items)));
    }
    // Waits for the copies, and frees memory that no array uses.
    void finish();

    // Bytes that were copied from the host.
    std::size_t bytes() const noexcept { return bytes_; }

  private:
    const void* place(std::span<const std::byte> items);
    void write(uploaded_array& to, std::span<const std::byte> items, std::size_t begin, std::size_t end);
    void write_differences(uploaded_array& to, std::span<const std::byte> items, std::size_t known);

    uploaded_arrays& to_;
    uploaded_arrays* before_;
    stream in_;
    std::size_t placed_ = 0;
    std::size_t bytes_ = 0;
};

} // namespace fingerpost::gpu
