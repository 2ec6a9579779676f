// An array in the memory of the device, for tests of lookups on a GPU.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/device.hpp"

namespace fingerpost::testing {

class device_array {
  public:
    device_array(const void* from, std::size_t bytes) : memory_(bytes + 1), bytes_(bytes) {
        gpu::copy_to_device(memory_.get(), from, bytes, nullptr);
    }
    void* get() const noexcept { return memory_.get(); }
    void copy_to(void* to) const {
        gpu::copy_to_host(to, memory_.get(), bytes_, nullptr);
        gpu::wait_for_stream(nullptr);
    }

  private:
    gpu::device_memory memory_;
    std::size_t bytes_;
};

} // namespace fingerpost::testing
