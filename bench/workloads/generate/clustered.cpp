// The clustered address model: places runs of longer prefixes in the blocks that cluster_blocks has planned.
#include <algorithm>

#include "bench/workloads/generate/address_models.hpp"
#include "bench/workloads/generate/cluster_blocks.hpp"
#include "bench/workloads/generate/number_set.hpp"
#include "bench/workloads/random.hpp"
#include "bench/workloads/weighted_pick.hpp"

namespace fingerpost::bench {
namespace {

// `count` prefixes of one length in one block.
struct site_group {
    std::uint32_t block;
    std::uint8_t length;
    std::uint32_t count;
};

// Distributes the lengths past the block length to the blocks' slots. It places many of one length together,
// so that a block is mostly of one length, as in real tables: 4/5 of the prefixes in a block have its most
// frequent length.
class group_dealer {
  public:
    group_dealer(const cluster_shape& shape, const length_counts& counts,
                 const std::vector<cluster_block>& blocks, std::uint64_t seed)
        : shape_(shape), counts_(counts), random_(seed, 6), given_(blocks.size()),
          space_used_(blocks.size()) {
        for (const cluster_block& b : blocks)
            slots_.push_back(b.slots);
    }

    // Sorted by block, then by length. Short lengths choose first, because a block holds few of them.
    std::vector<site_group> deal() {
        for (unsigned length = shape_.block_length + 1u; length < counts_.size(); ++length)
            if (length != shape_.dominant_length)
                deal_length(length);
        deal_dominant();
        std::ranges::sort(groups_, [](const site_group& a, const site_group& b) {
            return a.block != b.block ? a.block < b.block : a.length < b.length;
        });
        return std::move(groups_);
    }

  private:
    static constexpr std::uint64_t whole_block = 1 << 16;

    std::uint64_t capacity(unsigned length) const {
        return 1ull << std::min(length - shape_.block_length, 31u);
    }

    void deal_length(unsigned length) {
        std::uint64_t left = counts_[length];
        if (left == 0)
            return;
        // Draws a block in proportion to its free slots, at most half of its capacity for this length.
        const std::uint64_t most = std::max<std::uint64_t>(1, capacity(length) / 2);
        std::vector<std::uint64_t> weights;
        for (const std::uint64_t slots : slots_)
            weights.push_back(std::min(slots, most));
        weighted_pick by_slots(weights);
        std::ranges::fill(given_, 0u);
        while (left > 0 && by_slots.total() > 0) {
            const std::size_t block = choose(by_slots, length);
            const std::uint64_t count = std::min(left, group_size(block, length));
            give(block, length, count);
            left -= count;
            const std::uint64_t room = std::min(slots_[block], capacity(length) - given_[block]);
            by_slots.set(block, std::min(room, most));
        }
        give_anywhere(length, left);
    }

    // Halves and quarters come as full sets: a /32 with its two /33s and nothing else is the most frequent
    // block of three routes in tier1-v6. So a block with exactly that many free slots is searched for.
    std::size_t choose(const weighted_pick& by_slots, unsigned length) {
        std::size_t block = by_slots.draw(random_);
        if (capacity(length) > 4)
            return block;
        for (int draws = 0; draws < 6 && slots_[block] != capacity(length); ++draws)
            block = by_slots.draw(random_);
        return block;
    }

    std::uint64_t group_size(std::size_t block, unsigned length) {
        std::uint64_t room = std::min(slots_[block], capacity(length) - given_[block]);
        if (capacity(length) <= 4 && slots_[block] <= 2 * capacity(length) &&
            random_.chance(shape_.full_sets))
            return room;
        // Prefixes of a block mostly lie side by side: only space that is neither used nor needed for the
        // remaining slots is taken.
        const std::uint64_t needed = slots_[block] * whole_block / capacity(shape_.dominant_length);
        const std::uint64_t unused = whole_block - std::min(space_used_[block] + needed, whole_block);
        const std::uint64_t beside = unused * capacity(length) / whole_block * shape_.space_taken / 1000;
        room = std::min({room, share_limit(length), std::max<std::uint64_t>(1, beside)});
        return random_.chance(shape_.fills_block) ? room : 1 + random_.below(room);
    }
    // No block takes more than 1/10 of a length.
    std::uint64_t share_limit(unsigned length) const {
        return std::max<std::uint64_t>(8, counts_[length] / 10);
    }

    void give(std::size_t block, unsigned length, std::uint64_t count) {
        slots_[block] -= std::min(slots_[block], count);
        given_[block] += static_cast<std::uint32_t>(count);
        const std::uint64_t space = std::min(count * whole_block / capacity(length), whole_block);
        space_used_[block] = std::min(space_used_[block] + space, whole_block);
        groups_.push_back({static_cast<std::uint32_t>(block), static_cast<std::uint8_t>(length),
                           static_cast<std::uint32_t>(count)});
    }

    // The dominant length takes the rest.
    void deal_dominant() {
        const unsigned length = shape_.dominant_length;
        std::uint64_t left = counts_[length];
        std::ranges::fill(given_, 0u);
        for (std::size_t block = 0; block < slots_.size() && left > 0; ++block) {
            const std::uint64_t count = std::min({left, slots_[block], capacity(length)});
            if (count > 0)
                give(block, length, count);
            left -= count;
        }
        give_anywhere(length, left);
    }

    // Slots of the right kind have run out; plan_blocks() made sure that all blocks together have room.
    // Groups of one length in one block must stay one group, so the count is added to an existing group.
    void give_anywhere(unsigned length, std::uint64_t left) {
        if (left == 0)
            return;
        std::vector<std::uint32_t> extra(given_.size());
        std::size_t block = random_.below(given_.size());
        for (; left > 0; block = (block + 1 + random_.below(8)) % given_.size()) {
            if (given_[block] + extra[block] >= capacity(length))
                continue;
            ++extra[block];
            --left;
        }
        for (std::size_t i = 0; i < extra.size(); ++i)
            if (extra[i] > 0)
                give(i, length, extra[i]);
    }

    const cluster_shape& shape_;
    const length_counts& counts_;
    random_source random_;
    std::vector<std::uint64_t> slots_;
    std::vector<std::uint32_t> given_;      // of the current length
    std::vector<std::uint64_t> space_used_; // by all lengths, as if none overlapped
    std::vector<site_group> groups_;
};

// Places the groups of one block, shorter lengths first: runs of neighbours, at random or under a
// longer-than-block prefix that is already there.
template <class A>
class site_layer {
  public:
    site_layer(const cluster_shape& shape, std::uint64_t seed, std::vector<prefix<A>>& out)
        : shape_(shape), random_(seed, 7), out_(out) {}

    void lay(const cluster_block& block, std::span<const site_group> groups) {
        block_ = shift_left(static_cast<value>(block.number), A::bits - shape_.block_length);
        inner_.clear();
        lengths_.clear();
        std::size_t sites = 0;
        for (const site_group& group : groups)
            sites += group.count;
        laid_.reset(sites);
        for (std::size_t i = 0; i < groups.size();) {
            const unsigned length = groups[i].length;
            std::uint64_t count = 0;
            for (; i < groups.size() && groups[i].length == length; ++i)
                count += groups[i].count;
            lay_length(length, count);
        }
    }

  private:
    using value = typename A::value_type;

    // Sites are numbered within the block: `offset` is a prefix's bits between the block's length and its
    // own.
    struct inner_prefix {
        value offset;
        std::uint8_t length;
    };
    // The sites [first, first + count) of one length; count 0 stands for all 2^bits of them.
    struct site_range {
        value first;
        unsigned bits;
    };

    void lay_length(unsigned length, std::uint64_t count) {
        const std::size_t covers = inner_.size();
        std::size_t cover = covers;
        unsigned failures = 0;
        while (count > 0) {
            const bool under = covers > 0 && random_.chance(shape_.under_inner);
            if (under && (cover == covers || !random_.chance(shape_.same_inner)))
                cover = choose_cover(covers);
            const site_range range =
                under ? sites_under(inner_[cover], length) : site_range{0, length - shape_.block_length};
            const value start = under ? start_in(range.bits, length) : open_start(length);
            const std::uint64_t laid = lay_run(range, start, length, std::min(count, draw_run(length)));
            count -= laid;
            failures = laid == 0 ? failures + 1 : 0;
            if (failures < 8)
                continue;
            lay_next_free(start, length);
            failures = 0;
            --count;
        }
        lengths_.push_back(static_cast<std::uint8_t>(length));
    }

    // Take the shorter of two draws, because few routes have two covers in their block.
    std::size_t choose_cover(std::size_t covers) {
        const std::size_t first_draw = random_.below(covers);
        const std::size_t other = random_.below(covers);
        return inner_[first_draw].length <= inner_[other].length ? first_draw : other;
    }
    site_range sites_under(const inner_prefix& cover, unsigned length) const {
        const unsigned bits = length - cover.length;
        return {shift_left(cover.offset, bits), bits};
    }

    // Halves and quarters start at the beginning, others at random; the coarser the position, the more
    // likely.
    value start_in(unsigned bits, unsigned length) {
        if (random_.chance(length - shape_.block_length <= 2 ? shape_.full_sets : shape_.at_base))
            return 0;
        value start = random_.bits<value>(bits);
        // Plans are made in hexadecimal: one start in four ends in a zero digit, one in sixteen in two.
        for (unsigned digit = 4; digit < bits && random_.chance(250); digit += 4)
            start = static_cast<value>(start & ~low_mask<value>(digit));
        return start;
    }

    value open_start(unsigned length) {
        value start = 0;
        for (int draws = 0; draws < 4; ++draws) {
            start = random_.chance(shape_.follows) ? start_after(length)
                                                   : start_in(length - shape_.block_length, length);
            if (!is_covered(start, length) || random_.chance(shape_.stays_inner))
                break;
        }
        return start;
    }
    bool is_covered(value offset, unsigned length) const {
        return std::ranges::any_of(lengths_, [&](std::uint8_t shorter) {
            return laid_.contains(key(shift_right(offset, length - shorter), shorter));
        });
    }

    // The end of a random earlier prefix of the block.
    value start_after(unsigned length) {
        if (inner_.empty())
            return 0;
        const inner_prefix& before = inner_[random_.below(inner_.size())];
        const value next = shift_left(static_cast<value>(before.offset + 1), length - before.length);
        return static_cast<value>(next & low_mask<value>(length - shape_.block_length));
    }

    std::uint64_t draw_run(unsigned length) {
        const unsigned inner = length - shape_.block_length;
        if (inner <= 2 && random_.chance(shape_.full_sets))
            return std::uint64_t{1} << inner;
        std::uint64_t dice = random_.below(1000);
        for (const run_length& run : length == shape_.dominant_length ? shape_.dominant_runs : shape_.runs) {
            if (dice < run.permille)
                return run.shortest + random_.below(run.longest - run.shortest + 1u);
            dice -= run.permille;
        }
        return 1;
    }

    // Returns the end of the range, or the first site that is used or has other covers than the start of the
    // run.
    std::uint64_t lay_run(const site_range& range, value start, unsigned length, std::uint64_t count) {
        const bool covered = is_covered(static_cast<value>(range.first + start), length);
        std::uint64_t laid = 0;
        for (; laid < count; ++laid) {
            const value site = static_cast<value>(start + laid);
            if (shift_right(site, range.bits) != 0 && range.bits < A::bits)
                break;
            if (is_covered(static_cast<value>(range.first + site), length) != covered)
                break;
            if (!add(static_cast<value>(range.first + site), length))
                break;
        }
        return laid;
    }

    // plan_blocks() and group_dealer never give a block more prefixes of a length than it has sites.
    void lay_next_free(value start, unsigned length) {
        const value mask = low_mask<value>(length - shape_.block_length);
        for (value site = start;; site = static_cast<value>(site + 1))
            if (add(static_cast<value>(site & mask), length))
                return;
    }

    // A leading one distinguishes sites of different lengths.
    value key(value offset, unsigned length) const {
        return static_cast<value>(offset | shift_left(value{1}, length - shape_.block_length));
    }

    bool add(value offset, unsigned length) {
        if (!laid_.insert(key(offset, length)))
            return false;
        const value base = static_cast<value>(block_ | shift_left(offset, A::bits - length));
        out_.push_back({A{base}, static_cast<std::uint8_t>(length)});
        inner_.push_back({offset, static_cast<std::uint8_t>(length)});
        return true;
    }

    const cluster_shape& shape_;
    random_source random_;
    std::vector<prefix<A>>& out_;
    value block_ = 0;
    std::vector<inner_prefix> inner_;
    std::vector<std::uint8_t> lengths_; // of the prefixes placed so far
    number_set<value> laid_;
};

} // namespace

template <class A>
prefixes_or_reason<A> clustered_prefixes(const length_counts& counts, std::uint64_t seed) {
    using value = typename A::value_type;
    const cluster_shape& shape = shape_of(A::bits);
    auto plan = plan_blocks(shape, counts, seed);
    if (!plan)
        return unexpected{plan.error()};
    std::vector<prefix<A>> prefixes;
    for (const wide_prefix& wide : plan->wide)
        prefixes.push_back(
            {A{shift_left(static_cast<value>(wide.number), A::bits - wide.length)}, wide.length});
    const std::vector<site_group> groups = group_dealer(shape, counts, plan->blocks, seed).deal();
    site_layer<A> layer(shape, seed, prefixes);
    for (std::size_t i = 0; i < groups.size();) {
        std::size_t end = i;
        while (end < groups.size() && groups[end].block == groups[i].block)
            ++end;
        layer.lay(plan->blocks[groups[i].block], std::span(groups).subspan(i, end - i));
        i = end;
    }
    return prefixes;
}

template prefixes_or_reason<address<32>> clustered_prefixes(const length_counts&, std::uint64_t);
template prefixes_or_reason<address<128>> clustered_prefixes(const length_counts&, std::uint64_t);

} // namespace fingerpost::bench
