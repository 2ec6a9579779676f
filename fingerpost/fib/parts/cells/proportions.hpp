// Growth, division and release of the arrays of these FIBs. The proportions are in one file because they
// depend on each other.
//
// A FIB that was changed for a long time may use 1/10 more memory than a new one. So arrays grow by less than
// that, and unused memory is released before it reaches that amount. If growing copies nothing, steps are
// small; if it copies, they are larger, so that few changes pay for it. The released amount is always more
// than one growth step, so growing and releasing cannot alternate.
#pragma once

#include <cstddef>

namespace fingerpost::cells {

// The factor part / whole, by which a count grows or shrinks.
struct proportion {
    std::size_t part;
    std::size_t whole;

    constexpr std::size_t of(std::size_t count) const noexcept { return count * part / whole; }
};

// Lines and codes: the array is extended into reserved address space, or is copied.
inline constexpr proportion grown_without_copy{129, 128};
inline constexpr proportion grown_lines{25, 24};
inline constexpr proportion grown_answers{17, 16};
// Pages of the index are few and are copied as a whole.
inline constexpr proportion grown_index_pages{17, 16};

// A tree is built for fewer intervals than it can hold, to leave room for changes. It is divided slightly
// before it is full, because one change may add two intervals. A division must split off at least 1/16,
// otherwise the larger part would soon be divided again.
inline constexpr proportion built_tree{15, 16};
inline constexpr proportion full_tree{31, 32};
inline constexpr proportion least_half{1, 16};

// Average memory after dividing trees into lines, relative to full leaves.
inline constexpr proportion lines_of_uneven_leaves{9, 8};

// Limits on the unused leaf slots and on all unused bytes of a FIB. Beyond them it is packed.
inline constexpr proportion most_unused_slots{1, 24};
inline constexpr proportion most_unused_bytes{1, 12};

} // namespace fingerpost::cells
