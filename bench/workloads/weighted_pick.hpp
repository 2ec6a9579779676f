// Draws of an index in proportion to its weight while the weights change: a Fenwick tree of partial sums.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/workloads/random.hpp"

namespace fingerpost::bench {

// Node n (from 1) holds the sum of the lowbit(n) weights that end at index n - 1; all operations are O(log
// size).
class weighted_pick {
  public:
    explicit weighted_pick(std::span<const std::uint64_t> weights)
        : weights_(weights.begin(), weights.end()), sums_(weights.size() + 1) {
        for (std::size_t n = 1; n <= weights.size(); ++n) {
            sums_[n] += weights[n - 1];
            total_ += weights[n - 1];
            const std::size_t parent = n + (n & (~n + 1));
            if (parent <= weights.size())
                sums_[parent] += sums_[n];
        }
    }

    std::uint64_t total() const noexcept { return total_; }
    std::uint64_t weight(std::size_t index) const noexcept { return weights_[index]; }

    void set(std::size_t index, std::uint64_t weight) noexcept {
        // Unsigned wraparound lets one loop serve increases and decreases.
        const std::uint64_t change = weight - weights_[index];
        weights_[index] = weight;
        total_ += change;
        for (std::size_t n = index + 1; n < sums_.size(); n += n & (~n + 1))
            sums_[n] += change;
    }

    // Requires total() > 0.
    std::size_t draw(random_source& random) const noexcept {
        std::uint64_t left = random.below(total_);
        std::size_t n = 0;
        for (std::size_t step = std::bit_floor(weights_.size()); step != 0; step /= 2) {
            if (n + step < sums_.size() && sums_[n + step] <= left) {
                n += step;
                left -= sums_[n];
            }
        }
        return n;
    }

  private:
    std::vector<std::uint64_t> weights_;
    std::vector<std::uint64_t> sums_;
    std::uint64_t total_ = 0;
};

} // namespace fingerpost::bench
