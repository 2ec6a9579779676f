// Counts the occurrences of addresses of one family, of which there may be many.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fingerpost::cli::enrich {

// Collects addresses, then sorts many at a time and merges them into the counts. That takes less time and
// memory than a hash table, and no input makes it slow.
template <class A>
class address_counts {
  public:
    using counted = std::pair<A, std::uint64_t>;

    void add(A address) {
        waiting_.push_back(address);
        if (waiting_.size() >= std::max(least, counts_.size()))
            settle();
    }
    void add_to(address_counts& to) const {
        to.merge(counts_);
        for (const A address : waiting_)
            to.add(address);
        to.settle();
    }
    // Counts in address order. Waiting addresses are not included before add_to().
    std::span<const counted> counts() const noexcept { return counts_; }

  private:
    static constexpr std::size_t least = std::size_t{1} << 16;

    void settle() {
        std::sort(waiting_.begin(), waiting_.end());
        std::vector<counted> runs;
        for (const A address : waiting_)
            if (runs.empty() || runs.back().first != address)
                runs.emplace_back(address, 1);
            else
                ++runs.back().second;
        waiting_.clear();
        merge(runs);
    }
    void merge(std::span<const counted> others) {
        std::vector<counted> merged;
        merged.reserve(counts_.size() + others.size());
        auto own = counts_.begin();
        for (const counted& other : others) {
            for (; own != counts_.end() && own->first < other.first; ++own)
                merged.push_back(*own);
            merged.push_back(other);
            if (own != counts_.end() && own->first == other.first)
                merged.back().second += (own++)->second;
        }
        merged.insert(merged.end(), own, counts_.end());
        counts_ = std::move(merged);
    }

    std::vector<counted> counts_;
    std::vector<A> waiting_;
};

} // namespace fingerpost::cli::enrich
