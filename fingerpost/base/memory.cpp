// The allocator behind aligned_array.
#include "fingerpost/base/memory.hpp"

#include <cstdlib>
#include <sys/mman.h>

namespace fingerpost {
namespace {

// Below half a huge page the rounding would waste more than the shorter page walks win.
constexpr std::size_t huge_threshold = huge_page_bytes / 2;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

} // namespace

void* allocate_aligned(std::size_t bytes, std::size_t room) noexcept {
    const std::size_t unit = bytes >= huge_threshold ? huge_page_bytes : cache_line_bytes;
    if (bytes > static_cast<std::size_t>(-1) - unit || room > static_cast<std::size_t>(-1) - unit - bytes)
        return nullptr;
    const std::size_t rounded = round_up(bytes + room, unit);
    void* memory = std::aligned_alloc(unit, rounded);
    if (memory == nullptr)
        return nullptr;
    // Advice before the first touch: the kernel backs whole huge pages only when it fills them. Not for the
    // room, where clearing two megabytes at the first touch of one would hold up whoever extends the array.
    if (unit == huge_page_bytes)
        (void)madvise(memory, round_up(bytes, unit), MADV_HUGEPAGE);
    std::memset(memory, 0, round_up(bytes, cache_line_bytes));
    return memory;
}

void free_aligned(void* memory) noexcept {
    std::free(memory);
}

} // namespace fingerpost
