// Binary search on a few prefix lengths, to which the routes are expanded.
//
// A binary search over the lengths of a table takes log2 of their number in probes. A route can be written as
// routes of any greater length, two for each additional bit. So a few lengths are enough, and a dynamic
// program (rib/hash_levels.hpp) finds those that need the fewest keys. Each such length is a level; a hit at
// a level leads to the longer ones, a miss to the shorter ones.
//
//      levels    29    32    36    40    44    49    64          tier1-v6: 435,888 keys for 160,064 routes
//
//                          40                 first probe
//                   32             49          second; a hit goes right
//               29      36     44      64      third
//                                         \--- the lengths beyond /64, by halves, after a hit at /64
//
// A route leaves markers, its first bits, at the levels where the way to it goes right. An entry stores the
// longest match of its own bits, so no search turns back. Expansion makes most markers unnecessary, because
// an expanded route of the level covers them.
//
// Lookup: 2 probes with up to 3 levels, 3 with up to 7. A probe reads one cache line, rarely two. IPv6 tables
// have a few routes beyond /64: they are searched only under a match at the last level.
// Memory: 16 bytes a key, with 3/4 of the slots in use. There are 1.3 keys for each route of tier1-v4 and 2.7
// for each of tier1-v6.
// Update: none. A short route would change up to 2^16 keys, and the levels are optimal for one table only.
// Limits: 1,048,575 different next hops; 2^25 keys, which tables of many different lengths reach with a
// million routes. All widths.
// Batch: as in binary search on lengths, 16 addresses in turn
// (fib/parts/lengths/length_search_kernels.inl.hpp).
//
// Source: V. Srinivasan, G. Varghese, Fast address lookups using controlled prefix expansion, ACM TOCS 17(1),
// 1999, section 6.
//
// Tested by: the suites over the registry, and tests/schemes/expanded_lengths.
// Read in this order: expanded_lengths.hpp, levels.hpp, hybrid.hpp, entries.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/fib/parts/lengths/length_fib.hpp"
#include "fingerpost/schemes/expanded_lengths/levels.hpp"

namespace fingerpost::expanded_lengths {

inline constexpr std::size_t most_keys = std::size_t{1} << 25;

template <class A, unsigned MostLevels = most_hash_levels>
class fib : public length_fib<fib<A, MostLevels>, A> {
    using base = length_fib<fib, A>;
    friend base;

  public:
    // A lower limit of keys is for tests.
    static expected<fib> build(const routes<A>& table, const build_options& options = {},
                               std::size_t keys_at_most = most_keys) {
        const level_plan plan = choose_levels<A>(table.sorted(), MostLevels);
        if (plan.keys > static_cast<double>(keys_at_most))
            return unexpected{errc::capacity};
        return build_at(table, plan.lengths, options);
    }
    // Uses given levels: ascending, and the last one not shorter than any route of up to 64 bits.
    static expected<fib> build_at(const routes<A>& table, std::span<const std::uint8_t> levels,
                                  const build_options& options = {}) {
        const routes<A> expanded(expand_all<A>(table.sorted(), levels));
        return base::with(
            length_store<A>::build(expanded, {.tree = tree_of<A>(expanded.sorted(), levels.size())}, options),
            options);
    }
};

} // namespace fingerpost::expanded_lengths
