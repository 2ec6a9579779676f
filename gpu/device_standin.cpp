// The stand-in for CUDA: one device, whose memory is that of the host, and kernels that run on the CPU in the
// call that launches them.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "gpu/device.hpp"

namespace fingerpost::gpu {
namespace {

// CUDA aligns memory to 256 bytes.
constexpr std::size_t alignment = 256;

} // namespace

int count_devices() {
    return 1;
}
current_device::current_device(int device) {
    if (device != 0)
        throw failure(FINGERPOST_CUDA_INVALID, "there is no device with this number");
}
current_device::~current_device() = default;

void* allocate(std::size_t bytes) {
    void* const memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}
void release(void* memory) noexcept {
    std::free(memory);
}
void* allocate_pinned(std::size_t bytes) {
    return allocate(bytes);
}
void release_pinned(void* memory) noexcept {
    release(memory);
}
bool is_pinned(const void*) noexcept {
    return false;
}
int device_of(const void*) {
    return 0;
}
void copy_to_device(void* to, const void* from, std::size_t bytes, stream) {
    std::memcpy(to, from, bytes);
}
void copy_to_host(void* to, const void* from, std::size_t bytes, stream) {
    std::memcpy(to, from, bytes);
}
void copy_anywhere(void* to, const void* from, std::size_t bytes, stream) {
    std::memcpy(to, from, bytes);
}
void fill_with_none(next_hop* out, std::size_t count, stream) {
    std::fill_n(out, count, next_hop::none);
}
void launch(const kernel& run, void** arguments, std::size_t count, stream) {
    run.on_cpu(arguments, count);
}

// All work is done when it is called for, so streams and events have no state.
stream create_stream() {
    return nullptr;
}
void destroy_stream(stream) noexcept {}
void wait_for_stream(stream) {}
void order(stream, stream) {}
event create_event() {
    return nullptr;
}
void destroy_event(event) noexcept {}
void record(event, stream) {}
bool is_done(event) noexcept {
    return true;
}
void wait_for_event(event) noexcept {}

} // namespace fingerpost::gpu
