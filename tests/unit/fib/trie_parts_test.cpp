// The parts of the multibit tries: slots from routes, blocks of adjacent elements, and rounds of lookups.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <vector>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/fib/parts/batches/rounds.hpp"
#include "fingerpost/fib/parts/memory/block_pool.hpp"
#include "fingerpost/fib/parts/multibit/bit_cursor.hpp"
#include "fingerpost/fib/parts/multibit/expanded_slots.hpp"
#include "fingerpost/fib/parts/multibit/packed_trie.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_trie_parts {
namespace {

using toy = address<12>;

TEST(rank, counts_bits_before_and_through) {
    EXPECT_EQ(rank_before(~0ULL, 0), 0U);
    EXPECT_EQ(rank_before(~0ULL, 63), 63U);
    EXPECT_EQ(rank_through(~0ULL, 63), 64U);
    EXPECT_EQ(rank_through(1, 0), 1U);
    EXPECT_EQ(rank_before(0b1011, 3), 2U);
    EXPECT_EQ(rank_through(0b1011, 3), 3U);
}

// The right content of a slot, found by examining every route.
void expect_slots(std::span<const route<toy>> inside, prefix<toy> node, unsigned stride,
                  const std::vector<slot_run<toy>>& runs) {
    const unsigned border = node.length + stride;
    std::uint32_t slot = 0;
    std::size_t longer_seen = 0;
    for (const slot_run<toy>& run : runs) {
        ASSERT_EQ(run.first, slot);
        ASSERT_GT(run.count, 0U);
        ASSERT_TRUE(run.longer.empty() || run.count == 1);
        longer_seen += run.longer.size();
        for (; slot < run.first + run.count; ++slot) {
            const route<toy>* best = nullptr;
            std::vector<prefix<toy>> longer;
            for (const route<toy>& r : inside) {
                const std::uint64_t first = slice(r.where.first(), node.length, stride);
                const std::uint64_t last = // with every bit past the end of the address set
                    r.where.length >= border ? first
                                             : first | low_mask<std::uint64_t>(border - r.where.length);
                if (slot < first || slot > last)
                    continue;
                if (r.where.length > border)
                    longer.push_back(r.where);
                else if (best == nullptr || best->where.length < r.where.length)
                    best = &r;
            }
            ASSERT_EQ(run.best, best)
                << "slot " << slot << " of " << text_of(node.base) << '/' << unsigned{node.length} << '\n'
                << text_of<toy>(inside);
            ASSERT_TRUE(std::ranges::equal(longer, run.longer, {}, {}, &route<toy>::where));
        }
    }
    ASSERT_EQ(slot, std::uint32_t{1} << stride);
    const auto is_longer = [&](const route<toy>& r) { return r.where.length > border; };
    ASSERT_EQ(longer_seen, static_cast<std::size_t>(std::ranges::count_if(inside, is_longer)));
}

TEST(slot_expander, gives_each_slot_its_longest_route_and_what_is_below) {
    random_numbers random(16);
    slot_expander<toy> expander;
    std::size_t nodes = 0;
    for (unsigned round = 0; round < 300; ++round) {
        const auto all = clustered_table<toy>(random, 1 + random.below(40), 9);
        for (const unsigned stride : {1U, 2U, 3U, 5U, 6U, 8U, 12U})
            for (unsigned length = 0; length <= toy::bits; length += stride) {
                const auto node = prefix<toy>::make(random.address<toy>(), length);
                table<toy> inside;
                for (const route<toy>& r : all)
                    if (r.where.length > length && node.contains(r.where.first()))
                        inside.push_back(r);
                std::vector<slot_run<toy>> runs;
                expander.expand(inside, length, stride,
                                [&](const slot_run<toy>& run) { runs.push_back(run); });
                expect_slots(inside, node, stride, runs);
                nodes += inside.empty() ? 0 : 1;
                if (HasFatalFailure())
                    return;
            }
    }
    EXPECT_GT(nodes, 1000U);
}

template <class T>
class BlockPool : public ::testing::Test {};
using element_types =
    ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::array<std::uint32_t, 6>>;
TYPED_TEST_SUITE(BlockPool, element_types);

template <class T>
T stamp(std::uint32_t number) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(number);
    else
        return {number, number + 1, number + 2, number + 3, number + 4, number + 5};
}

TYPED_TEST(BlockPool, KeepsEveryBlockWhileOthersComeAndGo) {
    using T = TypeParam;
    random_numbers random(7);
    block_pool<T, 64> pool;
    struct block {
        std::uint32_t offset, count, stamp;
    };
    std::vector<block> blocks;
    std::size_t live = 0;
    const auto expect_whole = [&](const block& b) {
        for (std::uint32_t i = 0; i < b.count; ++i)
            ASSERT_EQ(pool.at(b.offset)[i], stamp<T>(b.stamp + i));
    };
    for (std::uint32_t round = 0; round < 20'000; ++round) {
        if (blocks.empty() || random.below(100) < (round < 12'000 ? 60U : 40U)) {
            const auto count = static_cast<std::uint32_t>(1 + random.below(64));
            const auto offset = pool.allocate(count);
            ASSERT_NE(offset, pool.nil);
            ASSERT_EQ(pool.at(offset)[0], T{});
            ASSERT_EQ(pool.at(offset)[count - 1], T{});
            for (std::uint32_t i = 0; i < count; ++i)
                pool.at(offset)[i] = stamp<T>(round + i);
            blocks.push_back({offset, count, round});
            live += pool.rounded(count);
        } else {
            std::swap(blocks[random.below(blocks.size())], blocks.back());
            expect_whole(blocks.back());
            live -= pool.rounded(blocks.back().count);
            pool.release(blocks.back().offset, blocks.back().count);
            blocks.pop_back();
        }
        ASSERT_EQ(pool.live_elements(), live);
        if (this->HasFatalFailure())
            return;
    }
    for (const block& b : blocks)
        expect_whole(b);
    EXPECT_GT(blocks.size(), 100U);
}

TEST(block_pool, wastes_little_while_it_grows_and_says_when_it_wastes_more) {
    block_pool<std::uint32_t, 16> pool;
    ASSERT_TRUE(pool.reserve(1000));
    EXPECT_EQ(pool.memory_bytes(), 4000U);
    std::vector<std::uint32_t> offsets;
    for (std::size_t i = 1; i <= 100'000; ++i) {
        offsets.push_back(pool.allocate(4));
        ASSERT_LE(pool.memory_bytes(), std::max<std::size_t>(4000, 4 * (4 * i + 4 * i / 16 + 64)));
    }
    EXPECT_FALSE(pool.sparse());
    for (std::size_t i = 0; i < offsets.size(); i += 8)
        pool.release(offsets[i], 4);
    EXPECT_TRUE(pool.sparse());
    const std::size_t before = pool.memory_bytes();
    for (std::size_t i = 0; i < offsets.size() / 8; ++i) // free blocks also serve smaller requests
        ASSERT_NE(pool.allocate(i % 2 == 0 ? 4 : 1), pool.nil);
    EXPECT_EQ(pool.memory_bytes(), before);
}

// Three elements and a power of two more.
struct few_sizes {
    static constexpr std::uint32_t count = 20;
    static constexpr bool can_cut = false;
    static constexpr std::size_t smallest_step = 64;
    static constexpr std::uint32_t number_of(std::uint32_t elements) noexcept {
        return static_cast<std::uint32_t>(std::bit_width(elements <= 4 ? 0 : elements - 4));
    }
    static constexpr std::uint32_t elements_of(std::uint32_t number) noexcept {
        return 3 + (std::uint32_t{1} << number);
    }
};

TEST(block_pool, keeps_long_blocks_of_few_sizes_apart) {
    constexpr std::uint32_t longest = few_sizes::elements_of(few_sizes::count - 1);
    block_pool<std::uint64_t, longest, few_sizes> pool;
    EXPECT_EQ(pool.rounded(1), 4U);
    EXPECT_EQ(pool.rounded(5), 5U);
    EXPECT_EQ(pool.rounded(6), 7U);
    EXPECT_EQ(pool.rounded(longest), longest);
    const auto large = pool.allocate(longest), small = pool.allocate(5);
    ASSERT_TRUE(large != pool.nil && small != pool.nil);
    EXPECT_EQ(pool.live_elements(), longest + 5U);
    EXPECT_LE(pool.memory_bytes(), 8 * (longest + longest / 16 + 64U));
    pool.release(large, longest);
    EXPECT_TRUE(pool.sparse());
    EXPECT_GE(pool.allocate(5), longest) << "a large block is not cut";
    EXPECT_EQ(pool.allocate(longest), large);
    EXPECT_FALSE(pool.sparse());
}

// Blocks of up to millions of elements: they do not overlap, the rest of a divided block is used for others,
// and no free list gets long.
TEST(block_pool, has_blocks_of_powers_of_two) {
    using pool_type = block_pool<std::uint32_t, 1U << 24, powers_of_two<std::uint32_t, 1U << 24>>;
    EXPECT_EQ(pool_type::rounded(5), 8U);
    EXPECT_LT(sizeof(pool_type), 512U);
    pool_type pool;
    EXPECT_EQ(pool.memory_bytes(), 0U);
    const auto large = pool.allocate(1U << 12);
    const auto behind = pool.allocate(2);
    pool.at(behind)[1] = 7;
    pool.release(large, 1U << 12);
    EXPECT_TRUE(pool.sparse());
    const std::size_t before = pool.memory_bytes();
    std::vector<std::uint32_t> seen(pool.memory_bytes() / 4);
    for (std::uint32_t size = 2; size < 1U << 12; size *= 2) { // all freed elements except two
        const auto offset = pool.allocate(size);
        ASSERT_NE(offset, pool.nil);
        for (std::uint32_t i = 0; i < size; ++i)
            ASSERT_EQ(seen[offset + i]++, 0U);
    }
    EXPECT_EQ(seen[behind], 0U);
    EXPECT_EQ(pool.at(behind)[1], 7U);
    EXPECT_EQ(pool.memory_bytes(), before);
    EXPECT_EQ(pool.live_elements(), 4096U);
    pool.trim();
    EXPECT_EQ(pool.memory_bytes(), 4 * 4098U);
}

TEST(packed_node, counts_the_ends_below_an_index) {
    random_numbers random(9);
    for (unsigned round = 0; round < 2000; ++round) {
        const std::uint64_t ends = random.below(~std::uint64_t{0}) | random.below(256) << 56;
        for (std::uint64_t index = 0; index < 256; ++index) {
            unsigned right = 0;
            for (unsigned i = 0; i < 8; ++i)
                right += (ends >> (8 * i) & 0xff) < index ? 1 : 0;
            ASSERT_EQ(packed_node::count_below(ends, index), right) << ends << ' ' << index;
        }
    }
    EXPECT_EQ(packed_node::count_below(~std::uint64_t{0}, 255), 0U);
}

TEST(bit_cursor, takes_the_bits_of_an_address_in_order) {
    random_numbers random(8);
    const auto read_all = [&](auto a) {
        auto bits = cursor_of(a);
        for (unsigned at = 0; at < a.bits + 40;) {
            const auto count = static_cast<unsigned>(1 + random.below(24));
            ASSERT_EQ(bits.take(count), slice(a, at, count)) << count << " bits from " << at;
            at += count;
        }
    };
    for (unsigned round = 0; round < 200; ++round) {
        read_all(random.address<toy>());
        read_all(random.address<ipv4_address>());
        read_all(random.address<address<64>>());
        read_all(random.address<ipv6_address>());
    }
}

TEST(block_pool, says_that_it_is_full) {
    block_pool<std::uint32_t, 16> pool(100);
    EXPECT_FALSE(pool.reserve(101));
    EXPECT_EQ(pool.shortage(101), errc::capacity);
    std::size_t blocks = 0;
    while (pool.allocate(8) != pool.nil)
        ++blocks;
    EXPECT_EQ(blocks, 12U);
    EXPECT_EQ(pool.shortage(8), errc::capacity);
    EXPECT_NE(pool.allocate(4), pool.nil) << "there is room for a smaller one";
}

// A lookup takes one step for each leading one bit, and their number is the answer.
struct counting_steps {
    struct walk {
        toy sought;
        unsigned steps;
    };
    walk start(toy a) const noexcept { return {a, 0}; }
    bool step(walk& w) const noexcept {
        if (bit_at(w.sought, w.steps) == 0)
            return false;
        ++w.steps;
        return true;
    }
    next_hop answer(const walk& w) const noexcept { return {w.steps}; }
};

TEST(lookup_in_rounds, answers_every_address_however_deep) {
    random_numbers random(3);
    for (const std::size_t size : {0U, 1U, 7U, 8U, 9U, 64U, 1000U}) {
        std::vector<toy> in(size);
        std::vector<next_hop> out(size, next_hop{99});
        for (toy& a : in)
            a = {toy::last().value & ~static_cast<std::uint32_t>(random.below(4096) >> random.below(12))};
        lookup_in_rounds<8>(counting_steps{}, std::span<const toy>(in), std::span(out));
        for (std::size_t i = 0; i < size; ++i)
            ASSERT_EQ(out[i].id, static_cast<std::uint32_t>(std::countl_one(in[i].value << 20)));
    }
}

} // namespace
} // namespace fingerpost::testing::of_trie_parts
