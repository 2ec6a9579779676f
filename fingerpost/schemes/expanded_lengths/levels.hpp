// The levels of expanded lengths, the routes expanded to them, and the tree that gives the order of the
// probes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "fingerpost/fib/parts/lengths/length_tree.hpp"
#include "fingerpost/rib/hash_levels.inl.hpp"
#include "fingerpost/rib/intervals.hpp"

namespace fingerpost::expanded_lengths {

// The longest possible level. Longer routes keep their lengths.
inline constexpr unsigned longest_level = 64;

// Chooses at most N levels for routes in prefix order so that they need the fewest keys. Returns no level if
// no route has a suitable length. Throws std::bad_alloc.
template <class A>
level_plan choose_levels(std::span<const route<A>> sorted, unsigned most_levels) {
    std::vector<route<A>> short_enough;
    std::copy_if(sorted.begin(), sorted.end(), std::back_inserter(short_enough),
                 [](const route<A>& r) { return r.where.length <= longest_level; });
    const level_counts counts = count_levels<A>(std::span<const route<A>>(short_enough));
    level_plan best;
    for (unsigned levels = 1; levels <= most_levels; ++levels) {
        std::optional<level_plan> plan = best_levels(counts, levels);
        if (plan && (best.lengths.empty() || plan->keys < best.keys))
            best = std::move(*plan);
    }
    return best;
}

// Expands the routes of lengths `above` + 1 to `level` to length `level`. If several routes cover a prefix,
// the longest one applies. Throws std::bad_alloc.
template <class A>
void expand(std::span<const route<A>> sorted, unsigned above, unsigned level, std::vector<route<A>>& into) {
    using value = typename A::value_type;
    std::vector<route<A>> served;
    std::copy_if(sorted.begin(), sorted.end(), std::back_inserter(served),
                 [=](const route<A>& r) { return r.where.length > above && r.where.length <= level; });
    const interval_list<A> runs = elementary_intervals<A>(std::span<const route<A>>(served));
    value first = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const value last = runs.ends[i].value;
        if (runs.hops[i] != next_hop::none)
            for (prefix<A> key = prefix<A>::make(A{first}, level);;) {
                into.push_back({key, runs.hops[i]});
                if (key.last().value == last)
                    break;
                key.base.value = static_cast<value>(key.last().value + 1);
            }
        first = static_cast<value>(last + 1); // wraps around only after the last run
    }
}

// Returns all routes expanded to these levels. Routes of length 0, and those longer than the last level, do
// not change. Throws std::bad_alloc.
template <class A>
std::vector<route<A>> expand_all(std::span<const route<A>> sorted, std::span<const std::uint8_t> levels) {
    std::vector<route<A>> expanded;
    unsigned above = 0;
    for (const unsigned level : levels) {
        expand(sorted, above, level, expanded);
        above = level;
    }
    std::copy_if(sorted.begin(), sorted.end(), std::back_inserter(expanded),
                 [=](const route<A>& r) { return r.where.length == 0 || r.where.length > above; });
    std::sort(expanded.begin(), expanded.end(),
              [](const route<A>& a, const route<A>& b) { return a.where < b.where; });
    return expanded;
}

// Returns the tree of the levels. To the right of the last level is a balanced tree of the longer lengths.
// Throws std::bad_alloc.
template <class A>
length_tree<A> tree_of(std::span<const route<A>> expanded, std::size_t levels) {
    const std::vector<std::uint8_t> lengths = lengths_in_use<A>(count_lengths<A>(expanded));
    return length_tree<A>::make(lengths, [=](std::size_t from, std::size_t last) -> std::size_t {
        if (from >= levels)
            return (from + last + 1) / 2;
        const std::size_t end = std::min(last + 1, levels);
        return probed_first(static_cast<unsigned>(from), static_cast<unsigned>(end));
    });
}

} // namespace fingerpost::expanded_lengths
