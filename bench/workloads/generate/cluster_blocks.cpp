// Chooses the block sizes of a clustered table, distributes the blocks in the space of the registries, and
// assigns the routes for whole blocks.
#include "bench/workloads/generate/cluster_blocks.hpp"

#include <algorithm>
#include <numeric>

#include "bench/workloads/generate/cluster_positions.hpp"
#include "bench/workloads/generate/number_set.hpp"
#include "bench/workloads/random.hpp"
#include "bench/workloads/weighted_pick.hpp"

namespace fingerpost::bench {
namespace {

struct planned_block {
    std::uint64_t size = 0;
    bool whole = false;
    std::vector<std::uint8_t> wider{}; // lengths of the routes shorter than a block that start here
    std::uint64_t number = 0;

    std::uint64_t free() const { return size - whole - wider.size(); }
};

class block_planner {
  public:
    block_planner(const cluster_shape& shape, const length_counts& counts, std::uint64_t seed)
        : shape_(shape), counts_(counts), seed_(seed) {}

    expected<block_plan, std::string> plan() {
        if (std::string reason = size_blocks(); !reason.empty())
            return unexpected{reason};
        choose_wholes();
        choose_wider();
        open_tops();
        open_middles();
        place_blocks();
        if (std::string reason = place_widest(); !reason.empty())
            return unexpected{reason};
        return finish();
    }

  private:
    std::uint64_t routes_from(unsigned length) const {
        return std::accumulate(counts_.begin() + length, counts_.end(), std::uint64_t{0});
    }
    // A table larger than the measured one adds top blocks at half its own growth rate. The old blocks take
    // the rest.
    std::size_t new_tops() const {
        const std::uint64_t routes = routes_from(0);
        if (shape_.growing_tops.empty() || routes < shape_.measured_routes)
            return 0;
        return (routes - shape_.measured_routes) * shape_.tops.size() / 2 / shape_.measured_routes;
    }
    static std::string too_many(std::uint64_t count, unsigned length) {
        return "a clustered table of this size has " + std::to_string(count) + " prefixes of length " +
               std::to_string(length) + ", more than its blocks hold";
    }

    std::string size_blocks();
    std::uint64_t count_blocks(std::uint64_t routes) const;
    void choose_wholes();
    void choose_wider();
    void open_tops();
    void open_middles();
    void place_blocks();
    void place_in_middle(std::size_t middle, const std::vector<std::uint32_t>& members);
    std::string place_widest();
    bool add_wide(std::uint64_t number, unsigned length);
    bool under_widest(std::uint64_t number, unsigned length) const;
    std::uint64_t any_block(random_source& random, const weighted_pick& by_size, bool busy) const;
    std::uint64_t remote_block(random_source& random) const;
    block_plan finish();

    const cluster_shape& shape_;
    const length_counts& counts_;
    std::uint64_t seed_;
    std::vector<planned_block> blocks_;
    std::vector<std::uint32_t> order_; // of blocks, shuffled
    std::vector<std::uint64_t> tops_, top_quotas_;
    std::vector<std::uint64_t> middles_, middle_quotas_;
    std::vector<wide_prefix> widest_;    // prefixes wider than a middle block
    std::vector<std::uint8_t> homeless_; // lengths of wide routes without an aligned place in their block
    number_set<std::uint64_t> wide_taken_;
    block_plan result_;
};

// Real tables have 1.19 to 1.23 IPv6 blocks for every prefix of /24 to /32, whatever their size; IPv4 has
// 1.97 for every prefix of /8 to /16.
std::uint64_t block_planner::count_blocks(std::uint64_t routes) const {
    const std::uint64_t whole = counts_[shape_.block_length];
    const std::uint64_t tops = shape_.tops.size() + new_tops();
    // Keep one place in eight free, so that free positions are found quickly.
    const std::uint64_t space = (tops << (shape_.block_length - shape_.top_length)) / 8 * 7;
    // Without a whole block, blocks have four times the measured mean.
    const std::uint64_t least = routes * shape_.blocks.back().rank / shape_.measured_routes / 4;
    const std::uint64_t heads = routes - routes_from(shape_.block_length + 1u);
    std::uint64_t count = std::max(heads * shape_.blocks_per_head / 1000, least);
    count = std::max(count, routes / shape_.largest_block + 1);
    return std::max(std::min({count, space, routes}), whole);
}

std::string block_planner::size_blocks() {
    const std::uint64_t routes = routes_from(shape_.middle_length);
    const std::uint64_t whole = counts_[shape_.block_length];
    const std::uint64_t tops = shape_.tops.size() + new_tops();
    const std::uint64_t space = tops << (shape_.block_length - shape_.top_length);
    if (whole > space / 16 * 15)
        return too_many(whole, shape_.block_length);
    if (routes == 0)
        return {};
    const std::uint64_t count = count_blocks(routes);
    for (unsigned length = shape_.block_length + 1u; length < counts_.size(); ++length) {
        const unsigned inner = std::min(length - shape_.block_length, 32u);
        if (counts_[length] > count << inner)
            return too_many(counts_[length], length);
    }
    const auto sizes = sizes_on_curve(shape_.blocks, count, routes, shape_.largest_block);
    if (sizes.empty())
        return too_many(counts_[shape_.dominant_length], shape_.dominant_length);
    for (const std::uint64_t size : sizes)
        blocks_.push_back({.size = size});
    order_.resize(blocks_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    random_source random(seed_, 1);
    for (std::size_t i = order_.size(); i > 1; --i)
        std::swap(order_[i - 1], order_[random.below(i)]);
    return {};
}

// Draws heads according to the block size, then corrects the totals in random blocks.
void block_planner::choose_wholes() {
    random_source random(seed_, 2);
    std::uint64_t wholes = 0;
    for (planned_block& b : blocks_) {
        const auto chance =
            std::ranges::find_if(shape_.heads, [&](head_chance c) { return b.size <= c.largest; });
        const std::uint64_t dice = random.below(1000);
        b.whole = dice < chance->whole;
        const unsigned only_wider = chance->wider - chance->both;
        if (dice < chance->both || (!b.whole && dice < chance->whole + only_wider))
            b.wider.push_back(0);
        wholes += b.whole;
    }
    const std::uint64_t target = counts_[shape_.block_length];
    for (const std::uint32_t i : order_) {
        planned_block& b = blocks_[i];
        if (wholes == target)
            break;
        if (b.whole == (wholes > target)) {
            b.whole = !b.whole;
            b.whole ? ++wholes : --wholes;
            if (b.whole && b.size == b.wider.size())
                b.wider.clear();
        }
    }
}

// Distributes the lengths between middle and block to blocks that will start with such a route.
void block_planner::choose_wider() {
    std::vector<std::uint8_t> lengths;
    for (unsigned length = shape_.middle_length; length < shape_.block_length; ++length)
        lengths.insert(lengths.end(), counts_[length], static_cast<std::uint8_t>(length));
    random_source random(seed_, 3);
    for (std::size_t i = lengths.size(); i > 1; --i)
        std::swap(lengths[i - 1], lengths[random.below(i)]);
    for (const std::uint32_t i : order_) {
        planned_block& b = blocks_[i];
        if (b.wider.empty())
            continue;
        b.wider.clear();
        if (lengths.empty())
            continue;
        b.wider.push_back(lengths.back());
        lengths.pop_back();
    }
    // The rest goes first to blocks of a single route, to 4/5 of those without a route yet: few wide routes
    // cover many others.
    for (const bool single : {true, false})
        for (std::size_t k = 0; k < order_.size() && !lengths.empty(); ++k) {
            planned_block& b = blocks_[order_[k]];
            if (b.free() == 0 || std::ranges::count(b.wider, lengths.back()) != 0)
                continue;
            if (single && (b.size != 1 || !random.chance(800)))
                continue;
            b.wider.push_back(lengths.back());
            lengths.pop_back();
        }
    homeless_ = lengths;
}

void block_planner::open_tops() {
    const std::uint64_t routes = routes_from(shape_.middle_length);
    std::vector<std::uint64_t> weights;
    for (const top_block& top : shape_.tops) {
        tops_.push_back(top.number);
        weights.push_back(top.routes);
    }
    for (std::size_t i = 0; i < new_tops(); ++i) {
        const std::size_t registries = shape_.growing_tops.size();
        tops_.push_back(shape_.growing_tops[i % registries] + i / registries);
        weights.push_back(shape_.measured_routes / shape_.tops.size());
    }
    const std::uint64_t sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
    for (const std::uint64_t weight : weights)
        top_quotas_.push_back((routes * weight + sum / 2) / sum);
    // Rounding must not leave a small table without any quota.
    if (!top_quotas_.empty())
        ++*std::ranges::max_element(top_quotas_);
}

// Up to the measured size, the number of middle blocks grows with the root of the routes (real tables:
// exponents 0.33 to 0.46); beyond it, 3/4 as fast as the routes, so that the space does not fill up. They are
// distributed over as many /20s as hold twelve of them each, as in tier1-v6.
void block_planner::open_middles() {
    if (shape_.middles.empty()) {
        middles_ = tops_;
        middle_quotas_ = top_quotas_;
        return;
    }
    const std::uint64_t routes = routes_from(shape_.middle_length);
    const std::uint64_t measured = shape_.middles.back().rank;
    std::uint64_t count = integer_root(measured * measured * routes / shape_.measured_routes);
    if (routes > shape_.measured_routes)
        count = measured + 3 * measured * (routes - shape_.measured_routes) / shape_.measured_routes / 4;
    count = std::max<std::uint64_t>({count, blocks_.size() / 128 + 1, 1});
    count = std::min<std::uint64_t>({count, tops_.size() * 224, std::max<std::size_t>(blocks_.size(), 1)});
    middle_quotas_ = sizes_on_curve(shape_.middles, count, std::max(routes, count), routes + 1);
    const auto parents = deal_to_parents(middle_quotas_, top_quotas_, most_children, seed_ ^ 1);
    std::vector<std::uint64_t> members(tops_.size());
    for (const std::uint32_t top : parents)
        ++members[top];
    random_source random(seed_, 4);
    std::vector<std::vector<std::uint16_t>> free(tops_.size());
    for (std::size_t top = 0; top < tops_.size(); ++top) {
        const std::uint64_t open = std::min<std::uint64_t>(16, members[top] / 12 + 1);
        const std::uint64_t first = random.below(16);
        for (std::uint64_t i = 0; i < open * 16; ++i)
            free[top].push_back(
                static_cast<std::uint16_t>((first + i / 16 * (16 / open)) % 16 * 16 + i % 16));
    }
    for (const std::uint32_t top : parents) {
        std::swap(free[top].back(), free[top][random.below(free[top].size())]);
        middles_.push_back(tops_[top] * most_children + free[top].back());
        free[top].pop_back();
    }
}

void block_planner::place_blocks() {
    std::vector<std::uint64_t> sizes;
    for (const planned_block& b : blocks_)
        sizes.push_back(b.size);
    const auto parents = deal_to_parents(sizes, middle_quotas_, most_children, seed_ ^ 2);
    std::vector<std::vector<std::uint32_t>> members(middles_.size());
    for (std::uint32_t i = 0; i < blocks_.size(); ++i)
        members[parents[i]].push_back(i);
    wide_taken_.reset(routes_from(0) - routes_from(shape_.block_length + 1u));
    for (std::size_t middle = 0; middle < middles_.size(); ++middle)
        place_in_middle(middle, members[middle]);
}

// Blocks that start a wider route go first, the widest before, because they need aligned positions.
void block_planner::place_in_middle(std::size_t middle, const std::vector<std::uint32_t>& members) {
    random_source random(seed_, 1000 + middle);
    position_map positions(shape_, random);
    const auto widest = [&](std::uint32_t i) {
        const auto& wider = blocks_[i].wider;
        return wider.empty() ? shape_.block_length : *std::ranges::min_element(wider);
    };
    std::vector<std::uint32_t> sorted = members;
    std::ranges::stable_sort(sorted, std::ranges::less{}, widest);
    for (const std::uint32_t i : sorted) {
        planned_block& b = blocks_[i];
        int at = -1;
        if (!b.wider.empty())
            at = positions.aligned(1u << (shape_.block_length - widest(i)));
        if (at < 0)
            at = static_cast<int>(positions.any());
        b.number = middles_[middle] * most_children + static_cast<unsigned>(at);
        for (const std::uint8_t length : b.wider) {
            const unsigned step_bits = shape_.block_length - length;
            const bool fits = (b.number & low_mask<std::uint64_t>(step_bits)) == 0;
            if (!fits || !add_wide(b.number >> step_bits, length))
                homeless_.push_back(length);
        }
        if (b.whole)
            add_wide(b.number, shape_.block_length);
    }
}

bool block_planner::under_widest(std::uint64_t number, unsigned length) const {
    return std::ranges::any_of(widest_, [&](const wide_prefix& other) {
        const unsigned common = std::min<unsigned>(length, other.length);
        return number >> (length - common) == other.number >> (other.length - common);
    });
}

bool block_planner::add_wide(std::uint64_t number, unsigned length) {
    // A leading one distinguishes 0/8 from 00/16.
    if (!wide_taken_.insert(number | 1ull << length))
        return false;
    result_.wide.push_back({number, static_cast<std::uint8_t>(length)});
    if (length < shape_.middle_length)
        widest_.push_back(result_.wide.back());
    return true;
}

// A place for a route wider than a block: over a random route if `busy`, else over a random block of a random
// middle block, which may be empty.
std::uint64_t block_planner::any_block(random_source& random, const weighted_pick& by_size, bool busy) const {
    if (busy)
        return blocks_[by_size.draw(random)].number;
    const std::uint64_t middle = middles_[random.below(middles_.size())];
    return middle * most_children + random.below(most_children);
}

// A random block of a top block.
std::uint64_t block_planner::remote_block(random_source& random) const {
    const std::uint64_t top = tops_[random.below(tops_.size())];
    const unsigned inner = shape_.block_length - shape_.top_length;
    return top << inner | random.bits<std::uint64_t>(inner);
}

// Routes wider than a middle block, and those without an aligned place in their own block. They lie side by
// side as long as there is room, then anywhere near routes, then anywhere. 4,096 draws find a place even if
// one in a thousand is free.
std::string block_planner::place_widest() {
    for (unsigned length = 0; length < shape_.middle_length; ++length)
        homeless_.insert(homeless_.end(), counts_[length], static_cast<std::uint8_t>(length));
    std::vector<std::uint64_t> sizes;
    for (const planned_block& b : blocks_)
        sizes.push_back(b.size);
    const weighted_pick by_size(sizes);
    // The number in busy places is that of the measured table, because nesting does not grow with the table.
    const std::uint64_t routes = std::max<std::uint64_t>(routes_from(0), shape_.measured_routes);
    const auto busy_chance = static_cast<std::uint32_t>(shape_.busy_wide * shape_.measured_routes / routes);
    random_source random(seed_, 5);
    for (const unsigned length : homeless_) {
        bool placed = false;
        for (int draws = 0; draws < 4096 && !placed; ++draws) {
            const bool near = draws < 1024 && !blocks_.empty();
            const bool busy = near && random.chance(busy_chance);
            const std::uint64_t block = near ? any_block(random, by_size, busy) : remote_block(random);
            const std::uint64_t number = block >> (shape_.block_length - length);
            placed = (!near || !under_widest(number, length)) && add_wide(number, length);
        }
        if (!placed)
            return too_many(counts_[length], length);
    }
    return {};
}

block_plan block_planner::finish() {
    for (const planned_block& b : blocks_)
        result_.blocks.push_back({b.number, b.free()});
    return std::move(result_);
}

} // namespace

expected<block_plan, std::string> plan_blocks(const cluster_shape& shape, const length_counts& counts,
                                              std::uint64_t seed) {
    return block_planner(shape, counts, seed).plan();
}

} // namespace fingerpost::bench
