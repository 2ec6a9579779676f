// Binary search on a few prefix lengths, to which the routes are expanded.
//
// A binary search over N lengths takes log2(N) probes. A route can be replaced by longer routes, twice as
// many for each additional bit. So a few lengths are enough, and a dynamic program (rib/hash_levels.hpp)
// chooses those that need the fewest keys. Each of these lengths is a level. After a hit at a level the
// search continues with longer lengths, after a miss with shorter ones.
//
//      levels    29    32    36    40    44    49    64          tier1-v6: 435,888 keys for 160,064 routes
//
//                          40                 first probe
//                   32             49          second; right after a hit
//               29      36     44      64      third
//                                         \--- binary search among the lengths beyond /64 after a hit at /64
//
// A route has markers, which are its own first bits, at the levels where the search for it must continue to
// the right. An entry stores the longest match of its own bits, so the search never backtracks. Most markers
// are unnecessary, because they are also expanded routes of the level.
//
// Lookup: 2 probes with up to 3 levels, 3 with up to 7. A probe reads one cache line, rarely two. The few
// IPv6 routes beyond /64 are searched only after a hit at the last level. Memory: 16 bytes a key, with 3/4 of
// the slots in use. There are 1.3 keys for each route of tier1-v4 and 2.7 for each of tier1-v6. Update: not
// supported. A short route would change up to 2^16 keys, and the levels are optimal for one table only.
// Limits: 1,048,575 different next hops; 2^25 keys, which a table with many lengths reaches with a million
// routes. All widths. Batch: 16 addresses in turn, as in binary search on lengths
// (fib/parts/lengths/length_search_kernels.inl.hpp).
//
// Source: V. Srinivasan, G. Varghese, Fast address lookups using controlled prefix expansion, ACM TOCS 17(1),
// 1999, section 6.
//
// Tested by: the registry's suites and tests/schemes/expanded_lengths. Reading order: expanded_lengths.hpp,
// levels.hpp, hybrid.hpp, entries.hpp.
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
    // Tests pass a lower limit of keys.
    static expected<fib> build(const routes<A>& table, const build_options& options = {},
                               std::size_t keys_at_most = most_keys) {
        const level_plan plan = choose_levels<A>(table.sorted(), MostLevels);
        if (plan.keys > static_cast<double>(keys_at_most))
            return unexpected{errc::capacity};
        return build_at(table, plan.lengths, options);
    }
    // Builds with the given levels. They ascend, and the last one is at least as long as every route of up to
    // 64 bits.
    static expected<fib> build_at(const routes<A>& table, std::span<const std::uint8_t> levels,
                                  const build_options& options = {}) {
        const routes<A> expanded(expand_all<A>(table.sorted(), levels));
        return base::with(
            length_store<A>::build(expanded, {.tree = tree_of<A>(expanded.sorted(), levels.size())}, options),
            options);
    }
};

} // namespace fingerpost::expanded_lengths
