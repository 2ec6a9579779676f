// The number of groups of 256 entries that given routes need in a table of 24 bits and then 8 and 8.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost::bench {

struct group_counts {
    std::size_t used = 0;     // groups with entries after all routes were inserted
    std::size_t reserved = 0; // an upper bound on rte_fib6's count, which shares fewer groups
};

template <class A>
class group_counter {
  public:
    void add(const prefix<A>& where) {
        while (!covers_.empty() && !covers_.back().covers(where))
            covers_.pop_back();
        const unsigned cover = covers_.empty() ? first_bits : levels_end(covers_.back().length);
        counts_.reserved += (levels_end(where.length) - std::min(cover, levels_end(where.length))) / 8;
        covers_.push_back(where);
        // Routes come in address order, so those that share a group are neighbours.
        for (unsigned bits = first_bits; bits < where.length; bits += 8) {
            const prefix<A> group = prefix<A>::make(where.base, bits);
            if (last_[bits / 8] != group) {
                last_[bits / 8] = group;
                ++counts_.used;
            }
        }
    }
    group_counts counts() const noexcept { return counts_; }

  private:
    static constexpr unsigned first_bits = 24;
    // The last bit of the level in which a prefix of this length ends.
    static unsigned levels_end(unsigned length) { return std::max(first_bits, (length + 7) / 8 * 8); }

    group_counts counts_;
    std::vector<prefix<A>> covers_;
    std::array<std::optional<prefix<A>>, A::bits / 8> last_;
};

template <class A>
group_counts count_groups(std::span<const route<A>> sorted) {
    group_counter<A> counter;
    for (const route<A>& entry : sorted)
        counter.add(entry.where);
    return counter.counts();
}

} // namespace fingerpost::bench
