// Replaces operator new, aligned_alloc and mmap, so that tests can make them fail.
#include "tests/support/allocations.hpp"

#include <cstdlib>
#include <new>
#include <stdexcept>
#include <sys/mman.h>
#include <utility>

namespace fingerpost::testing {
namespace {

thread_local bool armed = false;
thread_local std::size_t left = 0;
thread_local fault kind = fault::once;
thread_local bool failed = false;
thread_local bool by_length = false; // throws length_error, not bad_alloc
thread_local std::size_t blocks = 0;

bool fails() noexcept {
    if (!armed)
        return false;
    if (left > 0) {
        --left;
        return false;
    }
    armed = kind == fault::from_then_on;
    failed = true;
    by_length = kind == fault::by_length;
    return true;
}

void* counted(void* memory) noexcept {
    blocks += memory != nullptr;
    return memory;
}

} // namespace

failing_allocations::failing_allocations(std::size_t number, fault wanted) noexcept {
    left = number;
    kind = wanted;
    failed = false;
    by_length = false;
    armed = true;
}
failing_allocations::~failing_allocations() {
    armed = false;
}
bool failing_allocations::happened() noexcept {
    return failed;
}
std::size_t allocated_blocks() noexcept {
    return blocks;
}

} // namespace fingerpost::testing

extern "C" void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);
extern "C" void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
    using namespace fingerpost::testing;
    return fails() ? nullptr : counted(__real_aligned_alloc(alignment, bytes));
}
extern "C" void* __real_mmap(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset);
extern "C" void* __wrap_mmap(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) {
    // Mappings of files allocate no memory.
    const bool is_memory = (flags & MAP_ANONYMOUS) != 0;
    return is_memory && fingerpost::testing::fails()
               ? MAP_FAILED
               : __real_mmap(at, bytes, protection, flags, file, offset);
}
extern "C" void __real_free(void* memory);
extern "C" void __wrap_free(void* memory) {
    fingerpost::testing::blocks -= memory != nullptr;
    __real_free(memory);
}

namespace {

void* plain(std::size_t bytes) noexcept {
    using namespace fingerpost::testing;
    return fails() ? nullptr : counted(std::malloc(bytes == 0 ? 1 : bytes));
}
void* aligned(std::size_t bytes, std::align_val_t alignment) noexcept {
    const auto unit = static_cast<std::size_t>(alignment);
    return __wrap_aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
}
void* or_throw(void* memory) {
    if (memory == nullptr && std::exchange(fingerpost::testing::by_length, false))
        throw std::length_error("an allocation that is told to fail so");
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}

} // namespace

// All forms are replaced: the address sanitizer defines those that are missing, and reports a mismatch when
// they are mixed.
void* operator new(std::size_t bytes) {
    return or_throw(plain(bytes));
}
void* operator new[](std::size_t bytes) {
    return or_throw(plain(bytes));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return plain(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return plain(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t to) {
    return or_throw(aligned(bytes, to));
}
void* operator new[](std::size_t bytes, std::align_val_t to) {
    return or_throw(aligned(bytes, to));
}
void* operator new(std::size_t bytes, std::align_val_t to, const std::nothrow_t&) noexcept {
    return aligned(bytes, to);
}
void* operator new[](std::size_t bytes, std::align_val_t to, const std::nothrow_t&) noexcept {
    return aligned(bytes, to);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
    std::free(memory);
}
