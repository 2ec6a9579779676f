// Distributes clusters to larger clusters so that the sizes of both come out as measured.
#include <numeric>

#include "bench/workloads/generate/cluster_blocks.hpp"
#include "bench/workloads/random.hpp"
#include "bench/workloads/weighted_pick.hpp"

namespace fingerpost::bench {
namespace {

class dealer {
  public:
    dealer(std::vector<std::uint64_t> quotas, std::uint64_t most, std::uint64_t seed)
        : quotas_(quotas), children_(quotas.size()), most_(most), random_(seed, 100) {}

    std::uint32_t place(std::uint64_t size) {
        const std::size_t parent = quotas_.total() > 0 ? by_quota(size) : by_room();
        const std::uint64_t left = quotas_.weight(parent);
        const bool full = ++children_[parent] == most_;
        quotas_.set(parent, full || left < size ? 0 : left - size);
        return static_cast<std::uint32_t>(parent);
    }

  private:
    // Returns the first of four draws that cannot fill its quota with smaller children, because children come
    // largest first. Otherwise one with room for this child, or the one with the most room of 32 draws.
    std::size_t by_quota(std::uint64_t size) {
        std::size_t best = quotas_.draw(random_);
        for (int draws = 1; draws < 4 && !needs(best, size); ++draws) {
            const std::size_t other = quotas_.draw(random_);
            if (needs(other, size))
                best = other;
        }
        for (int draws = 4; draws < 32 && quotas_.weight(best) < size; ++draws) {
            const std::size_t other = quotas_.draw(random_);
            if (quotas_.weight(other) > quotas_.weight(best))
                best = other;
        }
        return best;
    }
    bool needs(std::size_t parent, std::uint64_t size) const {
        return quotas_.weight(parent) >= size * (most_ - children_[parent]);
    }
    // Children larger than any quota have used up the quotas. Take the next parent with a free place.
    std::size_t by_room() {
        std::size_t parent = random_.below(children_.size());
        while (children_[parent] == most_)
            parent = (parent + 1) % children_.size();
        return parent;
    }

    weighted_pick quotas_;
    std::vector<std::uint64_t> children_;
    std::uint64_t most_;
    random_source random_;
};

} // namespace

std::vector<std::uint32_t> deal_to_parents(const std::vector<std::uint64_t>& children,
                                           std::vector<std::uint64_t> quotas, std::uint64_t most,
                                           std::uint64_t seed) {
    dealer deal(std::move(quotas), most, seed);
    std::vector<std::uint32_t> parents;
    parents.reserve(children.size());
    for (const std::uint64_t size : children)
        parents.push_back(deal.place(size));
    return parents;
}

} // namespace fingerpost::bench
