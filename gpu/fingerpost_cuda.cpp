// The C interface: checks arguments, and turns exceptions into codes and texts.
#include "gpu/fingerpost_cuda.h"

#include <cstdint>
#include <cstdio>
#include <new>
#include <span>
#include <string>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/image/image_file.hpp"
#include "fingerpost/image/image_parts.hpp"
#include "gpu/device_table.hpp"
#include "gpu/fingerpost_cuda_kernels.h"
#include "gpu/guarded.hpp"

struct fingerpost_cuda_table : fingerpost::gpu::table {
    using table::table;
};

namespace fingerpost::gpu {
namespace {

thread_local char last_error[512] = "";

// Returns the form of the addresses of a lookup.
address_form checked_form(const fingerpost_cuda_table* table, int address_bits, const void* addresses,
                          const std::uint32_t* next_hops, std::size_t count) {
    require(table != nullptr, "the table is null");
    const auto form = static_cast<address_form>(address_bits);
    require(form == address_form::ipv4 || form == address_form::ipv6_bytes ||
                form == address_form::ipv6_halves,
            "addresses have neither 32 nor 128 bits");
    require(count == 0 || (addresses != nullptr && next_hops != nullptr), "an array is null");
    const std::uintptr_t alignment = form == address_form::ipv4 ? 4 : 8;
    require(reinterpret_cast<std::uintptr_t>(addresses) % alignment == 0, "addresses are not aligned");
    require(reinterpret_cast<std::uintptr_t>(next_hops) % alignof(std::uint32_t) == 0,
            "next hops are not aligned");
    return form;
}

// Calls run() with the image in memory that is aligned as images need it.
template <class Run>
void with_aligned(const void* image, std::size_t bytes, Run run) {
    require(image != nullptr, "the image is null");
    const std::span given(static_cast<const std::byte*>(image), bytes);
    if (reinterpret_cast<std::uintptr_t>(image) % cache_line_bytes == 0)
        return run(given);
    auto copy = aligned_array<std::byte>::make(bytes);
    if (!copy)
        throw std::bad_alloc();
    std::copy(given.begin(), given.end(), copy->begin());
    run(copy->span());
}

} // namespace

int fail(int code, const char* reason) noexcept {
    (void)std::snprintf(last_error, sizeof last_error, "%s", reason);
    return code;
}

} // namespace fingerpost::gpu

using namespace fingerpost;
using namespace fingerpost::gpu;

int fingerpost_cuda_devices(int* count) {
    return guarded([&] {
        require(count != nullptr, "the result is null");
        *count = count_devices();
    });
}

int fingerpost_cuda_describe(int device, fingerpost_cuda_properties* out) {
    return guarded([&] {
        require(out != nullptr, "the result is null");
        *out = describe_device(device);
    });
}

int fingerpost_cuda_open(const char* image_path, int device, fingerpost_cuda_table** out) {
    return guarded([&] {
        require(image_path != nullptr && out != nullptr, "an argument is null");
        const auto file = mapped_file::open(image_path, &fingerpost::detail::refuse_any_start);
        if (!file)
            throw failure(FINGERPOST_CUDA_IMAGE, std::string(image_path) + ": " + to_string(file.error()));
        *out = new fingerpost_cuda_table(file->bytes(), device);
    });
}
int fingerpost_cuda_upload(const void* image, size_t bytes, int device, fingerpost_cuda_table** out) {
    return guarded([&] {
        require(out != nullptr, "the result is null");
        with_aligned(image, bytes, [&](auto aligned) { *out = new fingerpost_cuda_table(aligned, device); });
    });
}
int fingerpost_cuda_update(fingerpost_cuda_table* table, const void* image, size_t bytes) {
    return guarded([&] {
        require(table != nullptr, "the table is null");
        with_aligned(image, bytes, [&](auto aligned) { table->update(aligned); });
    });
}
int fingerpost_cuda_choose_kernel(fingerpost_cuda_table* table, int kernel) {
    return guarded([&] {
        require(table != nullptr, "the table is null");
        require(0 <= kernel && kernel <= FINGERPOST_CUDA_GROUPS, "there is no such kernel");
        if (!table->choose_kernel(static_cast<unsigned>(kernel)))
            throw failure(FINGERPOST_CUDA_UNSUPPORTED, "the scheme has no such kernel");
    });
}

int fingerpost_cuda_lookup(fingerpost_cuda_table* table, int address_bits, const void* addresses,
                           uint32_t* next_hops, size_t count, void* stream) {
    return guarded([&] {
        const auto form = checked_form(table, address_bits, addresses, next_hops, count);
        table->look_up(form, addresses, reinterpret_cast<next_hop*>(next_hops), count, stream);
    });
}
int fingerpost_cuda_lookup_host(fingerpost_cuda_table* table, int address_bits, const void* addresses,
                                uint32_t* next_hops, size_t count) {
    return guarded([&] {
        const auto form = checked_form(table, address_bits, addresses, next_hops, count);
        table->look_up_host(form, addresses, reinterpret_cast<next_hop*>(next_hops), count);
    });
}

int fingerpost_cuda_allocate_pinned(size_t bytes, void** out) {
    return guarded([&] {
        require(out != nullptr, "the result is null");
        *out = bytes == 0 ? nullptr : allocate_pinned(bytes);
    });
}
int fingerpost_cuda_release_pinned(void* memory) {
    return guarded([&] {
        if (memory != nullptr)
            release_pinned(memory);
    });
}

size_t fingerpost_cuda_memory_bytes(const fingerpost_cuda_table* table) {
    return table == nullptr ? 0 : table->memory_bytes();
}
size_t fingerpost_cuda_uploaded_bytes(const fingerpost_cuda_table* table) {
    return table == nullptr ? 0 : table->uploaded_bytes();
}
const char* fingerpost_cuda_error(void) {
    return fingerpost::gpu::last_error;
}
void fingerpost_cuda_close(fingerpost_cuda_table* table) {
    delete table;
}
