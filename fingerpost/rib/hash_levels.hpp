// Chooses the lengths to which routes are expanded, for a binary search by length with one hash table for
// each level. This is the dynamic program of controlled prefix expansion for levels.
//
// A level at length j serves the routes of lengths m + 1 to j, where m is the previous level. Its table has
//
//     keys      the outermost of these routes, each expanded to 2^(j - its length) keys
//     markers   keys with routes of longer levels below them, unless one of these routes covers them
//
// A search probes the levels as a tree, starting with the middle one. After a hit it continues with longer
// levels, so a level needs markers only if the tree has longer levels below it. With two levels, the longer
// one is probed first and needs none. With up to five levels only the root has markers, with six levels also
// the fifth, and all markers come from all longer levels, so the counts are exact. With seven levels, the
// markers of the second come only from the third, and the count is an upper bound.
//
// Counts are doubles: a short route can have more than 2^100 expansions, and all counts that matter are below
// 2^53.
//
// Source: V. Srinivasan, G. Varghese, Fast address lookups using controlled prefix expansion, ACM TOCS 17(1),
// 1999, section 6. The paper gives no formula. This one is a reconstruction, checked against all possible
// choices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost {

inline constexpr unsigned most_hash_levels = 7;

// Returns the level that a search probes first if levels `from` to `end` - 1 remain.
constexpr unsigned probed_first(unsigned from, unsigned end) noexcept {
    constexpr std::array<unsigned, most_hash_levels + 1> in_front{0, 0, 1, 1, 2, 2, 2, 3};
    return from + in_front[end - from];
}
// True if a search continues with longer levels after a hit at level `at` of `levels`.
constexpr bool needs_markers(unsigned at, unsigned levels) noexcept {
    unsigned from = 0, end = levels;
    for (;;) {
        const unsigned middle = probed_first(from, end);
        if (middle == at)
            return middle + 1 < end;
        if (at < middle)
            end = middle;
        else
            from = middle + 1;
    }
}

// Counts the keys of a table at length j for the routes longer than m.
class level_counts {
  public:
    level_counts() = default;
    // The arguments are numbers of routes and of vertices, by the length of their innermost cover (0 without
    // one) and by their own length, at index cover * (longest + 1) + own. Throws std::bad_alloc.
    level_counts(unsigned longest, std::span<const std::uint64_t> routes,
                 std::span<const std::uint64_t> vertices);

    unsigned longest() const noexcept { return longest_; }
    double keys(unsigned m, unsigned j) const noexcept { return keys_[m * (longest_ + 1) + j]; }
    double markers(unsigned m, unsigned j) const noexcept { return markers_[m * (longest_ + 1) + j]; }

  private:
    unsigned longest_ = 0;
    std::vector<double> keys_;
    std::vector<double> markers_;
};

// Counts routes in prefix order, without the route of length 0. Throws std::bad_alloc. O(routes * width +
// width^2).
template <class A>
level_counts count_levels(std::span<const route<A>> sorted);

struct level_plan {
    std::vector<std::uint8_t> lengths; // ascending, up to the length of the longest route
    double keys = 0;                   // includes markers, and the slots of an array
    double markers = 0;
    bool is_bound = false; // the exact count may be smaller
};

// Cost of levels at these lengths, which ascend to the longest route. With an array, the first level is a
// direct table of its length.
level_plan cost_of_levels(const level_counts& of, std::span<const std::uint8_t> lengths,
                          bool first_is_array = false);

// Returns the plan with the fewest keys for exactly this many levels, 1 to 7. With `widest_array`, the first
// level is an array of at most this many bits. Returns nothing if there are fewer lengths than levels, or no
// routes. Throws std::bad_alloc.
std::optional<level_plan> best_levels(const level_counts& of, unsigned levels, unsigned widest_array = 0);

} // namespace fingerpost
