// The parts that bitmap tries share: bits by slot, blocks that change their size, and addresses that are
// consumed stride by stride.
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <span>
#include <string>
#include <vector>

#include "fingerpost/fib/parts/answers/route_runs.hpp"
#include "fingerpost/fib/parts/memory/resized_block.hpp"
#include "fingerpost/fib/parts/multibit/bit_cursor.hpp"
#include "fingerpost/fib/parts/multibit/slot_bitmap.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing {
namespace {

template <unsigned Bits>
void expect_counts_right() {
    SCOPED_TRACE(std::to_string(Bits) + " bits");
    random_numbers random(Bits);
    for (unsigned round = 0; round < 50; ++round) {
        slot_bitmap<Bits> tried;
        slot_bitmap<Bits> mask;
        std::bitset<Bits> bits;
        for (unsigned i = 0; i < Bits; ++i) {
            if (random.below(1 + round) == 0) {
                tried.set(i);
                bits.set(i);
            }
            if (random.below(3) == 0)
                mask.set(i);
        }
        unsigned rank = 0;
        unsigned common = Bits;
        unsigned next = tried.next(0);
        for (unsigned i = 0; i < Bits; ++i) {
            ASSERT_EQ(tried.test(i), bits.test(i));
            ASSERT_EQ(tried.rank_before(i), rank);
            if (!bits.test(i))
                continue;
            ++rank;
            ASSERT_EQ(next, i);
            next = tried.next(i + 1);
            common = mask.test(i) ? i : common;
        }
        ASSERT_EQ(next, Bits);
        ASSERT_EQ(tried.count(), rank);
        ASSERT_EQ(tried.any(), rank > 0);
        ASSERT_EQ(tried.has_common(mask), common < Bits);
        if (common < Bits) {
            ASSERT_EQ(tried.highest_common(mask), common);
        }
        for (unsigned i = 0; i < Bits; ++i)
            tried.clear(i);
        ASSERT_FALSE(tried.any());
    }
}
TEST(SlotBitmap, CountsAndFindsBits) {
    expect_counts_right<8>();
    expect_counts_right<16>();
    expect_counts_right<32>();
    expect_counts_right<64>();
    expect_counts_right<256>();
}

TEST(SlotBitmap, AncestorsAreThePrefixesOfASlot) {
    const auto table = make_ancestors<5>();
    for (unsigned slot = 0; slot < 32; ++slot) {
        EXPECT_EQ(table[slot].count(), 5u);
        for (unsigned above = base_index(slot, 5) / 2; above > 0; above /= 2)
            EXPECT_TRUE(table[slot].test(above));
    }
}

TEST(ResizedBlock, KeepsTheOthersInOrder) {
    block_pool<std::uint32_t, 8> pool;
    std::vector<std::uint32_t> right;
    std::uint32_t at = 0;
    random_numbers random(3);
    for (std::uint32_t i = 0; i < 2000; ++i) {
        const auto size = static_cast<std::uint32_t>(right.size());
        if (size < 8 && (size == 0 || random.below(2) == 0)) {
            const auto place = static_cast<std::uint32_t>(random.below(size + 1));
            at = with_gap(pool, at, size, place);
            *pool.at(at + place) = i;
            right.insert(right.begin() + place, i);
        } else {
            const auto place = static_cast<std::uint32_t>(random.below(size));
            at = without(pool, at, size, place);
            right.erase(right.begin() + place);
        }
        ASSERT_EQ(pool.live_elements(), right.size());
        ASSERT_TRUE(std::equal(right.begin(), right.end(), pool.at(at)));
    }
}

template <class A, class Cursor, unsigned Stride>
void expect_slices(A a, Cursor at, unsigned first) {
    at.skip(first);
    for (unsigned depth = first; depth <= A::bits; depth += Stride)
        ASSERT_EQ(at.template take<Stride>(), slice(a, depth, Stride)) << depth;
}
TEST(BitCursor, TakesTheBitsThatSliceCuts) {
    random_numbers random(9);
    for (unsigned first = 0; first < 30; ++first) {
        const auto a = random.address<ipv6_address>();
        expect_slices<ipv6_address, long_cursor, 3>(a, cursor_of(a), first);
        expect_slices<ipv6_address, long_cursor, 6>(a, cursor_of(a), first);
        expect_slices<ipv6_address, long_cursor, 8>(a, cursor_of(a), first);
        const auto b = random.address<ipv4_address>();
        expect_slices<ipv4_address, short_cursor, 5>(b, cursor_of(b.value), first);
        const auto c = random.address<address<12>>();
        expect_slices<address<12>, short_cursor, 8>(c, cursor_of(top64(c)), first % 12);
    }
}

TEST(RouteRuns, CountThoseBelowOneSlot) {
    using A = address<12>;
    const auto routes = sorted<A>({{leading<A>(0b0100, 4), {1}},
                                   {leading<A>(0b01001, 5), {2}},
                                   {leading<A>(0b010011111111, 12), {3}},
                                   {leading<A>(0b0101, 4), {4}}});
    EXPECT_EQ(count_sharing(std::span<const route<A>>(routes), 4), 3u);
    EXPECT_EQ(count_sharing(std::span<const route<A>>(routes), 3), 4u);
    EXPECT_EQ(count_sharing(std::span<const route<A>>(routes).subspan(3), 4), 1u);
}

} // namespace
} // namespace fingerpost::testing
