// The allocator of aligned_array.
#include "fingerpost/base/memory.hpp"

#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>

// AddressSanitizer checks only memory from malloc.
#if defined(__SANITIZE_ADDRESS__)
#define FINGERPOST_MAPS_LARGE 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FINGERPOST_MAPS_LARGE 0
#endif
#endif
#if !defined(FINGERPOST_MAPS_LARGE)
#define FINGERPOST_MAPS_LARGE 1
#endif

namespace fingerpost {
namespace {

// Below half a huge page, rounding up would waste more than shorter page walks gain.
constexpr std::size_t huge_threshold = huge_page_bytes / 2;

constexpr std::size_t unit_of(std::size_t bytes) {
    return bytes >= huge_threshold ? huge_page_bytes : cache_line_bytes;
}
constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

// Maps new pages, aligned to a huge page. Returns nullptr if out of memory. malloc() is not suitable: it may
// return memory that was already touched in small pages, and such pages stay small despite madvise().
void* map_huge(std::size_t bytes) noexcept {
    constexpr std::size_t small_page = 4096;
    constexpr std::size_t spare = huge_page_bytes - small_page;
    if (bytes > static_cast<std::size_t>(-1) - spare)
        return nullptr;
    void* const mapped =
        ::mmap(nullptr, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return nullptr;
    auto* const from = static_cast<std::byte*>(mapped);
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(from) % huge_page_bytes;
    if (before > 0)
        (void)::munmap(from, before);
    if (before < spare)
        (void)::munmap(from + before + bytes, spare - before);
    return from + before;
}

} // namespace

void* allocate_aligned(std::size_t bytes, std::size_t room) noexcept {
    const std::size_t unit = unit_of(bytes);
    if (bytes > static_cast<std::size_t>(-1) - unit || room > static_cast<std::size_t>(-1) - unit - bytes)
        return nullptr;
    const std::size_t rounded = round_up(bytes + room, unit);
    const bool maps = FINGERPOST_MAPS_LARGE && unit == huge_page_bytes;
    void* const memory = maps ? map_huge(rounded) : std::aligned_alloc(unit, rounded);
    if (memory == nullptr)
        return nullptr;
    // Call madvise() before the first touch: the kernel uses a huge page only if it can fill the whole page.
    // Exclude the reserved room, because its first touch would clear two megabytes and delay the thread that
    // extends the array.
    if (unit == huge_page_bytes)
        (void)::madvise(memory, round_up(bytes, unit), MADV_HUGEPAGE);
    if (!maps)
        std::memset(memory, 0, round_up(bytes, cache_line_bytes));
    return memory;
}

void free_aligned(void* memory, std::size_t bytes, std::size_t room) noexcept {
    if (FINGERPOST_MAPS_LARGE && unit_of(bytes) == huge_page_bytes)
        (void)::munmap(memory, round_up(bytes + room, huge_page_bytes));
    else
        std::free(memory);
}

} // namespace fingerpost
