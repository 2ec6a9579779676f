// Counts allocations and makes them fail on demand, separately for each thread. The program replaces operator
// new, and the linker wraps aligned_alloc, mmap and free, which aligned_array uses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fingerpost::testing {

// `by_length` fails once, and operator new throws std::length_error, as containers do for impossible sizes.
enum class fault : std::uint8_t { once, from_then_on, by_length };

// During its lifetime, allocation `number` (from 0) of this thread fails; with `from_then_on` all later ones
// fail too.
class failing_allocations {
  public:
    failing_allocations(std::size_t number, fault kind) noexcept;
    ~failing_allocations();
    failing_allocations(const failing_allocations&) = delete;
    failing_allocations& operator=(const failing_allocations&) = delete;

    // Whether an allocation has failed already.
    static bool happened() noexcept;
};

// Number of blocks that this thread has allocated and not yet freed, without mapped pages. It wraps below
// zero when a thread frees blocks of other threads.
std::size_t allocated_blocks() noexcept;

} // namespace fingerpost::testing
