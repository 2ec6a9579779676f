// The positions of blocks inside one middle block: free places, and the alignment of allocations.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <vector>

#include "bench/workloads/generate/cluster_shape.hpp"
#include "bench/workloads/random.hpp"

namespace fingerpost::bench {

// Blocks in a middle block, and middle blocks in a top block: all levels are 8 bits apart.
inline constexpr std::size_t most_children = 256;

// The free positions of one middle block.
class position_map {
  public:
    position_map(const cluster_shape& shape, random_source& random) : shape_(shape), random_(random) {}

    // A random free multiple of `step`, -1 if there is none.
    int aligned(unsigned step) {
        int chosen = -1;
        std::uint64_t free_count = 0;
        for (unsigned at = 0; at < most_children; at += step)
            if (!used_[at] && random_.below(++free_count) == 0)
                chosen = static_cast<int>(at);
        if (chosen >= 0)
            take(static_cast<unsigned>(chosen));
        if (chosen >= 0 && step > 1)
            wider_.push_back({static_cast<unsigned>(chosen), step});
        return chosen;
    }
    // A free position for a block that starts no wider route; there must be one.
    unsigned any() {
        unsigned at = candidate();
        for (int draws = 0; draws < 8 && !suits(at); ++draws)
            at = candidate();
        while (used_[at])
            at = (at + 1) % most_children;
        take(at);
        return at;
    }

  private:
    struct covered_range {
        unsigned first;
        unsigned size;
    };

    void take(unsigned at) {
        used_.set(at);
        last_ = at;
    }
    unsigned candidate() {
        if (used_.any() && random_.chance(shape_.beside))
            return (last_ + 1) % most_children;
        const auto at = static_cast<unsigned>(random_.below(most_children));
        if (random_.chance(shape_.aligned_eight))
            return at & ~7u;
        return random_.chance(shape_.aligned_four) ? at & ~3u : at;
    }
    bool suits(unsigned at) {
        if (used_[at])
            return false;
        const auto covers = [&](covered_range range) { return at - range.first < range.size; };
        return std::ranges::none_of(wider_, covers) || random_.chance(shape_.under_wider);
    }

    const cluster_shape& shape_;
    random_source& random_;
    std::bitset<most_children> used_;
    std::vector<covered_range> wider_;
    unsigned last_ = 0;
};

} // namespace fingerpost::bench
