// The proportions by which the arrays of these FIBs grow, divide and give memory back, in one place
// because they depend on one another.
//
// A FIB that has been changed for long may take 1/10 more memory than a new one. So arrays grow by less than
// that, and unused memory is given back before it is that much. Where growing copies nothing, it goes in
// small steps; where it copies, the steps are larger, so that few changes pay for it. The amount given back
// is always more than one step of growing adds, so the two cannot alternate.
#pragma once

#include <cstddef>

namespace fingerpost::cells {

// `part` of `whole`, a factor by which a count grows or shrinks.
struct proportion {
    std::size_t part;
    std::size_t whole;

    constexpr std::size_t of(std::size_t count) const noexcept { return count * part / whole; }
};

// Lines and answers: the array extends into address space that it has reserved, or is copied.
inline constexpr proportion grown_without_copy{129, 128};
inline constexpr proportion grown_lines{25, 24};
inline constexpr proportion grown_answers{17, 16};
// Pages of the index are few and are copied as a whole.
inline constexpr proportion grown_index_pages{17, 16};

// A tree is built for fewer intervals than it can hold, so that changes find room. It is divided a little
// before it is full, because one change may add two intervals. A division must split off at least 1/16, or
// the larger part would soon be divided again.
inline constexpr proportion built_tree{15, 16};
inline constexpr proportion full_tree{31, 32};
inline constexpr proportion least_half{1, 16};

// The average memory for dividing trees into lines, beyond full leaves.
inline constexpr proportion lines_of_uneven_leaves{9, 8};

// The unused leaf slots, and the unused bytes of everything, that a FIB may have before it is packed anew.
inline constexpr proportion most_unused_slots{1, 24};
inline constexpr proportion most_unused_bytes{1, 12};

} // namespace fingerpost::cells
