// Include this before the schemes in sources that clang compiles for a GPU.
//
// The sources of fingerpost have no annotations for CUDA. The kernels' sources include them in a region in
// which clang compiles every function for the device as well. The headers of the standard library must come
// before it: there, only their constexpr functions work on the device, which suffices for lookups.
#pragma once

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))

// Overloads for the device of what lookups call besides. Copies of known size become loads.
inline __device__ void* memcpy(void* to, const void* from, __SIZE_TYPE__ bytes) {
    return __builtin_memcpy(to, from, bytes);
}
// libstdc++ compares arrays of numbers with it.
extern "C" __device__ inline __attribute__((used)) int memcmp(const void* a, const void* b,
                                                              __SIZE_TYPE__ bytes) {
    const auto* const left = static_cast<const unsigned char*>(a);
    const auto* const right = static_cast<const unsigned char*>(b);
    for (__SIZE_TYPE__ i = 0; i < bytes; ++i)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

#include <cstdlib> // before the others, which need it for clang's own <new>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <charconv>
#include <chrono>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <iosfwd>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <ostream>
#include <shared_mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
#include <version>

// The number of this thread among those of the launch.
inline __device__ unsigned long thread_number() {
    return static_cast<unsigned long>(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() +
           __nvvm_read_ptx_sreg_tid_x();
}

// Each thread looks up one address.
#define FINGERPOST_KERNEL(name, A, F)                                                                        \
    extern "C" __global__ void name(const void* fib, fingerpost::gpu::address_array addresses,               \
                                    fingerpost::next_hop* out, unsigned long count) {                        \
        const unsigned long i = thread_number();                                                             \
        if (i < count)                                                                                       \
            fingerpost::gpu::look_up<A, F>(fib, addresses, out, i);                                          \
    }

// Shared memory. The launch sets its size.
extern __attribute__((shared)) unsigned long fingerpost_shared[];

// A kernel of the scheme's own. With 1024 threads on a multiprocessor, each has 64 registers, which loads
// side by side need.
#define FINGERPOST_OWN_KERNEL(name, with, A, F)                                                              \
    using name##_own = fingerpost::gpu::own_kernel<fingerpost::gpu::technique::with, A, F>;                  \
    extern "C" __global__                                                                                    \
        __attribute__((launch_bounds(name##_own::threads, 1024 / name##_own::threads))) void                 \
        name(const void* fib, fingerpost::gpu::address_array addresses, fingerpost::next_hop* out,           \
             unsigned long count) {                                                                          \
        name##_own::run(fingerpost::gpu::device_block(reinterpret_cast<std::byte*>(fingerpost_shared)),      \
                        *static_cast<const F*>(fib), addresses, out, count);                                 \
    }
