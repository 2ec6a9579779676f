// Device memory for language bindings, through the C interface.
#include "gpu/fingerpost_cuda_arrays.h"

#include <cstring>

#include "gpu/guarded.hpp"
#include "gpu/lookup.hpp"

extern "C" const unsigned char fingerpost_gpu_gather[];

namespace fingerpost::gpu {
namespace {

template <class T>
void gather_all(void* const* arguments, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        gather<T>(argument<const void*>(arguments[0]), argument<std::size_t>(arguments[1]),
                  argument<std::uint64_t>(arguments[2]), argument<const std::uint32_t*>(arguments[3]),
                  argument<void*>(arguments[4]), i);
}

kernel gather_of(std::size_t item_bytes) {
    const void* const module = fingerpost_gpu_gather;
    switch (item_bytes) {
    case 1:
        return {"gather_1", module, gather_all<std::uint8_t>};
    case 2:
        return {"gather_2", module, gather_all<std::uint16_t>};
    case 4:
        return {"gather_4", module, gather_all<std::uint32_t>};
    case 8:
        return {"gather_8", module, gather_all<std::uint64_t>};
    default:
        throw failure(FINGERPOST_CUDA_INVALID, "items have neither 1, 2, 4 nor 8 bytes");
    }
}

} // namespace
} // namespace fingerpost::gpu

using namespace fingerpost::gpu;

int fingerpost_cuda_allocate(int device, size_t bytes, void** out) {
    return guarded([&] {
        require(out != nullptr, "the result is null");
        const current_device use(device);
        *out = bytes == 0 ? nullptr : allocate(bytes);
    });
}
int fingerpost_cuda_release(int device, void* memory) {
    return guarded([&] {
        const current_device use(device);
        release(memory); // waits for the device
    });
}
int fingerpost_cuda_copy(int device, void* to, const void* from, size_t bytes, void* stream) {
    return guarded([&] {
        require(bytes == 0 || (to != nullptr && from != nullptr), "an array is null");
        const current_device use(device);
        if (bytes != 0)
            copy_anywhere(to, from, bytes, stream);
        wait_for_stream(stream);
    });
}
int fingerpost_cuda_order(int device, void* first, void* second) {
    return guarded([&] {
        const current_device use(device);
        order(first, second);
    });
}
int fingerpost_cuda_device_of(const void* memory, int* device) {
    return guarded([&] {
        require(memory != nullptr && device != nullptr, "an argument is null");
        *device = device_of(memory);
    });
}
int fingerpost_cuda_gather(int device, const void* items, size_t item_bytes, size_t item_count,
                           const void* missing, const uint32_t* next_hops, void* out, size_t count,
                           void* stream) {
    return guarded([&] {
        const kernel run = gather_of(item_bytes);
        require(missing != nullptr && (items != nullptr || item_count == 0), "items are null");
        require(count == 0 || (next_hops != nullptr && out != nullptr), "an array is null");
        const current_device use(device);
        if (count == 0)
            return;
        std::uint64_t none = 0; // its low bytes are the item
        std::memcpy(&none, missing, item_bytes);
        void* arguments[] = {&items, &item_count, &none, &next_hops, &out, &count};
        launch(run, arguments, count, stream);
    });
}
