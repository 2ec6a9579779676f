// Policies for assigning next hops: random and inherited ones, and ones that prevent intervals from merging.
#include "bench/workloads/generate/next_hops.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "bench/workloads/random.hpp"
#include "fingerpost/rib/intervals.hpp"

namespace fingerpost::bench {
namespace {

constexpr std::uint32_t nobody = next_hop::none.id;

template <class A>
void deal_unique(std::span<route<A>> sorted) {
    for (std::size_t i = 0; i < sorted.size(); ++i)
        sorted[i].hop = next_hop{static_cast<std::uint32_t>(i)};
}

// With a different id for every route, the sweep shows which route decides each interval, and neighboring
// intervals are always decided by different routes. Among a route's neighbours only two come before it in
// prefix order: the route that decides left of its first address, and the one that decides right of its last;
// what borders it in between lies inside it and comes later. So, in prefix order, one of three consecutive
// ids differs from both, and every pair is considered.
template <class A>
void deal_unmerged(std::span<route<A>> sorted) {
    deal_unique(sorted);
    const interval_list<A> intervals = elementary_intervals<A>(sorted);
    std::vector<std::array<std::uint32_t, 2>> earlier(sorted.size(), {nobody, nobody});
    for (std::size_t i = 1; i < intervals.size(); ++i) {
        const auto [low, high] = std::minmax(intervals.hops[i - 1].id, intervals.hops[i].id);
        if (high == nobody || low == nobody)
            continue;
        auto& slots = earlier[high];
        (slots[0] == nobody || slots[0] == low ? slots[0] : slots[1]) = low;
    }
    const auto differs = [&](std::size_t i, std::uint32_t id) {
        return std::ranges::none_of(earlier[i],
                                    [&](std::uint32_t j) { return j != nobody && sorted[j].hop.id == id; });
    };
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        auto id = static_cast<std::uint32_t>(i % unmerged_hops);
        while (!differs(i, id))
            id = (id + 1) % unmerged_hops;
        sorted[i].hop = next_hop{id};
    }
}

// Frequencies of next hops at one peer of LINX, 2014: the first 55.6 %, the second 33.0 %, the other 92
// together 11.4 %, the k-th about as 1 / k.
class skewed_hops {
  public:
    explicit skewed_hops(std::uint32_t count) {
        constexpr std::uint64_t scale = 1'000'000;
        std::uint64_t harmonic = 0;
        for (std::uint64_t k = 3; k <= count; ++k)
            harmonic += scale / k;
        std::uint64_t sum = 0;
        for (std::uint64_t k = 1; k <= count; ++k) {
            if (k <= 2)
                sum += (k == 1 ? 556 : 330) * scale;
            if (k > 2)
                sum += std::max<std::uint64_t>(1, 114 * scale * (scale / k) / harmonic);
            sums_.push_back(sum);
        }
    }
    std::uint32_t draw(random_source& random) const {
        const auto position = std::ranges::upper_bound(sums_, random.below(sums_.back()));
        return static_cast<std::uint32_t>(position - sums_.begin());
    }

  private:
    std::vector<std::uint64_t> sums_;
};

// Probabilities per mille, counted in ipv6-2014-linx: see docs/inside/generator.md.
constexpr std::uint32_t root_like_previous = 268; // in addition to what equal draws give: in total 56.5 % are
                                                  // equal
constexpr std::uint32_t first_deviates = 195;     // the first more-specific of a cover
constexpr std::uint32_t starts_deviating = 41;    // after a sibling that inherits
constexpr std::uint32_t stays_deviating = 659;    // after a sibling that does not: takes the sibling's

// Walks through the routes with their covers on a stack; siblings follow each other in prefix order.
template <class A>
class hop_heirs {
  public:
    hop_heirs(const skewed_hops& hops, std::uint64_t seed) : hops_(hops), random_(seed, 8) {}

    next_hop deal(const prefix<A>& where) {
        while (!open_.empty() && !open_.back().where.covers(where))
            open_.pop_back();
        const std::uint32_t id = open_.empty() ? root() : heir(open_.back());
        open_.push_back({where, id, nobody});
        return next_hop{id};
    }

  private:
    struct open_route {
        prefix<A> where;
        std::uint32_t id;
        std::uint32_t last_heir; // next hop of the last more-specific
    };

    std::uint32_t root() {
        if (last_root_ == nobody || !random_.chance(root_like_previous))
            last_root_ = hops_.draw(random_);
        return last_root_;
    }
    std::uint32_t heir(open_route& cover) {
        const bool deviated = cover.last_heir != nobody && cover.last_heir != cover.id;
        const std::uint32_t leaves = cover.last_heir == nobody ? first_deviates : starts_deviating;
        if (deviated && random_.chance(stays_deviating))
            return cover.last_heir;
        const bool leaves_now = !deviated && random_.chance(leaves);
        return cover.last_heir = leaves_now ? other_than(cover.id) : cover.id;
    }
    std::uint32_t other_than(std::uint32_t id) {
        std::uint32_t other = hops_.draw(random_);
        // With one next hop there is no other; 64 draws fail for the most frequent one once in 10^22.
        for (int draws = 0; draws < 64 && other == id; ++draws)
            other = hops_.draw(random_);
        return other;
    }

    const skewed_hops& hops_;
    random_source random_;
    std::vector<open_route> open_;
    std::uint32_t last_root_ = nobody;
};

std::optional<std::uint32_t> parse_count(std::string_view text) noexcept {
    std::uint32_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || end != text.data() + text.size() || count == 0)
        return std::nullopt;
    return count;
}

} // namespace

std::optional<dealing_policy> parse_dealing(std::string_view text) noexcept {
    if (text == "unmerged")
        return dealing_policy{dealing::unmerged, unmerged_hops};
    if (text == "unique")
        return dealing_policy{dealing::unique, 0};
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
        return std::nullopt;
    const std::optional<std::uint32_t> hops = parse_count(text.substr(colon + 1));
    if (hops && text.substr(0, colon) == "clustered")
        return dealing_policy{dealing::clustered, *hops};
    if (hops && text.substr(0, colon) == "random")
        return dealing_policy{dealing::random, *hops};
    return std::nullopt;
}

template <class A>
void deal_next_hops(std::span<route<A>> sorted, const dealing_policy& policy, std::uint64_t seed) {
    switch (policy.how) {
    case dealing::unmerged:
        return deal_unmerged<A>(sorted);
    case dealing::unique:
        return deal_unique<A>(sorted);
    case dealing::random: {
        random_source random(seed, 9);
        for (route<A>& r : sorted)
            r.hop = next_hop{static_cast<std::uint32_t>(random.below(policy.hops))};
        return;
    }
    case dealing::clustered: {
        const skewed_hops hops(policy.hops);
        hop_heirs<A> heirs(hops, seed);
        for (route<A>& r : sorted)
            r.hop = heirs.deal(r.where);
        return;
    }
    }
}

template void deal_next_hops(std::span<route<address<32>>>, const dealing_policy&, std::uint64_t);
template void deal_next_hops(std::span<route<address<128>>>, const dealing_policy&, std::uint64_t);

} // namespace fingerpost::bench
