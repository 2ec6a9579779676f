// The kernels that gather values by results. Compiled by clang.
#include "gpu/device_prelude.hpp"

#pragma clang force_cuda_host_device begin
#include "gpu/lookup.hpp"
#pragma clang force_cuda_host_device end

#define GATHER(name, T)                                                                                      \
    extern "C" __global__ void name(const void* items, unsigned long item_count, std::uint64_t missing,      \
                                    const std::uint32_t* next_hops, void* out, unsigned long count) {        \
        const unsigned long i = thread_number();                                                             \
        if (i < count)                                                                                       \
            fingerpost::gpu::gather<T>(items, item_count, missing, next_hops, out, i);                       \
    }

GATHER(gather_1, std::uint8_t)
GATHER(gather_2, std::uint16_t)
GATHER(gather_4, std::uint32_t)
GATHER(gather_8, std::uint64_t)
