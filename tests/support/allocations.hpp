// Allocations that fail on demand, in the thread that asks for it, and that are counted. This program
// replaces operator new, and the linker wraps aligned_alloc, mmap and free, which aligned_array uses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fingerpost::testing {

// By length: it fails once, and operator new throws std::length_error, as containers do for sizes that they
// cannot have.
enum class fault : std::uint8_t { once, from_then_on, by_length };

// While it lives, the allocation of this number (from 0) fails in this thread, and on request those after it.
class failing_allocations {
  public:
    failing_allocations(std::size_t number, fault kind) noexcept;
    ~failing_allocations();
    failing_allocations(const failing_allocations&) = delete;
    failing_allocations& operator=(const failing_allocations&) = delete;

    // Whether one has failed already.
    static bool happened() noexcept;
};

// Blocks that this thread has allocated and that are not freed yet, mapped pages left out; a thread that
// frees blocks of another one counts below zero.
std::size_t allocated_blocks() noexcept;

} // namespace fingerpost::testing
