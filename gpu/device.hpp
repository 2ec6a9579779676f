// The functions of a GPU that fingerpost uses: memory, streams, events, kernels. device_cuda.cpp implements
// them with CUDA, and device_standin.cpp on the CPU, for tests without a GPU.
//
// Functions that may fail throw gpu::failure.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <utility>

#include "fingerpost/net/next_hop.hpp"
#include "gpu/fingerpost_cuda.h"

namespace fingerpost::gpu {

class failure : public std::exception {
  public:
    failure(int code, std::string reason) : code_(code), reason_(std::move(reason)) {}
    int code() const noexcept { return code_; } // of fingerpost_cuda.h
    const char* what() const noexcept override { return reason_.c_str(); }

  private:
    int code_;
    std::string reason_;
};

// The default stream is null.
using stream = void*;
using event = void*;

// Runs threads [0, count) of a kernel on the CPU. `arguments` points to each argument.
using cpu_kernel = void (*)(void* const* arguments, std::size_t count);

// A kernel: a function in a module for the device, or on the stand-in a function.
struct kernel {
    const char* name = nullptr;
    const void* module = nullptr; // a fat binary
    cpu_kernel on_cpu = nullptr;
    unsigned threads = 256; // of a block
    // Bytes of shared memory. With any, threads look up several addresses, so that few blocks fill it.
    unsigned shared = 0;
};

template <class T>
T argument(const void* at) noexcept {
    return *static_cast<const T*>(at);
}

int count_devices();
// Throws for a number that is not that of a device.
fingerpost_cuda_properties describe_device(int device);
// Makes a device current until the end of its life.
class current_device {
  public:
    explicit current_device(int device);
    current_device(const current_device&) = delete;
    current_device& operator=(const current_device&) = delete;
    ~current_device();

  private:
    [[maybe_unused]] int before_ = 0; // the stand-in has one device
};

// These functions use the current device.
void* allocate(std::size_t bytes);
void release(void* memory) noexcept;
void* allocate_pinned(std::size_t bytes);
void release_pinned(void* memory) noexcept;
bool is_pinned(const void* memory) noexcept;
int device_of(const void* memory); // -1 for memory that no device can read
// Copies return before the copy has run, except from and to memory that is not pinned.
void copy_to_device(void* to, const void* from, std::size_t bytes, stream in);
void copy_to_host(void* to, const void* from, std::size_t bytes, stream in);
void copy_anywhere(void* to, const void* from, std::size_t bytes, stream in);
// Writes next_hop::none.
void fill_with_none(next_hop* out, std::size_t count, stream in);
// Starts a kernel with at least `count` threads, whose last argument is `count`.
void launch(const kernel& run, void** arguments, std::size_t count, stream in);

stream create_stream();
void destroy_stream(stream) noexcept; // waits for its work
void wait_for_stream(stream);
// Later work in `second` waits for what `first` has now. The host does not wait.
void order(stream first, stream second);
event create_event(); // it is done until it is recorded
void destroy_event(event) noexcept;
void record(event, stream);
bool is_done(event) noexcept;
void wait_for_event(event) noexcept;

// A stream until the end of its life, which waits for its work.
class own_stream {
  public:
    own_stream() = default;
    own_stream(const own_stream&) = delete;
    own_stream& operator=(const own_stream&) = delete;
    ~own_stream() { destroy_stream(in_); }
    stream get() const noexcept { return in_; }

  private:
    const stream in_ = create_stream();
};

// Memory of a device.
class device_memory {
  public:
    device_memory() = default;
    explicit device_memory(std::size_t bytes) : at_(allocate(bytes)) {}
    device_memory(device_memory&& other) noexcept : at_(std::exchange(other.at_, nullptr)) {}
    device_memory& operator=(device_memory&& other) noexcept {
        std::swap(at_, other.at_);
        return *this;
    }
    ~device_memory() { release(at_); }
    void* get() const noexcept { return at_; }

  private:
    void* at_ = nullptr;
};

} // namespace fingerpost::gpu
