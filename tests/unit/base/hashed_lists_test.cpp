// Hash tables of lists: keys that collide under a known key, or under the hash of earlier versions, do not
// collide under the key that each table draws.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fingerpost/base/hash_index.hpp"
#include "fingerpost/table/edit_list.hpp"
#include "fingerpost/values/rows.hpp"
#include "tests/support/tables/collisions.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing {
namespace {

// The hash of a transaction's changes used to be two rounds of multiplication without a key. This function
// inverts them, and so finds /64 prefixes whose hashes are equal in the lower 32 bits.
std::vector<prefix<ipv6_address>> old_colliding_changes(std::size_t count) {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
    const auto undo_shift = [](std::uint64_t x) { return x ^ x >> 32; };
    std::vector<prefix<ipv6_address>> made;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t last = undo_shift(i * inverse(odd)); // bits 32 and up of the hash are zero
        const std::uint64_t first = (std::uint64_t{64} ^ std::uint64_t{64} >> 32) * odd;
        made.push_back(prefix<ipv6_address>::make({static_cast<u128>(last - first) << 64}, 64));
    }
    return made;
}
TEST(edit_list, takes_changes_that_collided_before_as_any_others) {
    using A = ipv6_address;
    constexpr std::uint32_t count = 20'000;
    const auto hostile = old_colliding_changes(count);
    for (const prefix<A>& p : hostile) {
        constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
        std::uint64_t mixed = static_cast<std::uint64_t>(p.base.value) + p.length;
        mixed = (mixed ^ mixed >> 32) * odd + top64(p.base);
        ASSERT_EQ((mixed ^ mixed >> 32) * odd >> 32, 0u);
    }
    detail::edit_list<A> one;
    detail::edit_list<A> two;
    for (std::uint32_t i = 0; i < count; ++i) {
        one.set(hostile[i], {i});
        two.set(hostile[i], {i});
    }
    ASSERT_FALSE(one.is_in_order());
    EXPECT_LT(one.index().longest_search(), 200u);
    EXPECT_NE(one.index().key().seed(), two.index().key().seed());
    for (std::uint32_t i = 0; i < count; ++i) {
        ASSERT_NE(one.find(hostile[i]), nullptr);
        ASSERT_EQ(one.find(hostile[i])->hop, next_hop{i});
    }
    EXPECT_EQ(one.find(prefix<A>::make(hostile[1].base, 63)), nullptr);
    one.clear();
    EXPECT_EQ(one.find(hostile[0]), nullptr);
}
TEST(edit_list, needs_no_index_while_changes_come_in_order) {
    using A = ipv4_address;
    const auto at = [](std::uint32_t i) { return prefix<A>::make({i << 12}, 20); };
    constexpr std::uint32_t count = 1000;
    detail::edit_list<A> list;
    const auto expect_all = [&](std::uint32_t last, next_hop of_last) {
        ASSERT_EQ(list.size(), last + 1);
        for (std::uint32_t i = 0; i <= last; ++i) {
            ASSERT_NE(list.find(at(2 * i)), nullptr);
            ASSERT_EQ(list.find(at(2 * i))->hop, i == last ? of_last : next_hop{i});
            ASSERT_EQ(list.find(at(2 * i + 1)), nullptr);
        }
    };
    for (std::uint32_t i = 0; i < count; ++i)
        list.set(at(2 * i), {i});
    EXPECT_TRUE(list.is_in_order());
    EXPECT_EQ(list.index().memory_bytes(), 0U);
    expect_all(count - 1, {count - 1});
    list.set(at(2 * (count - 1)), {5}); // a repeated prefix, which ends the sorted order
    EXPECT_FALSE(list.is_in_order());
    expect_all(count - 1, {5});
    list.set(at(1), {7});
    EXPECT_EQ(list.find(at(1))->hop, next_hop{7});
    EXPECT_EQ(list.size(), count + 1);
    list.clear();
    EXPECT_TRUE(list.is_in_order());
    EXPECT_EQ(list.find(at(0)), nullptr);
}
TEST(hash_index, hashes_no_item_again_when_a_long_list_grows) {
    constexpr std::uint32_t count = 100'000;
    hash_index index;
    std::size_t hashed = 0;
    const auto hash_of = [&hashed](const hash_key& key, std::uint32_t position) {
        ++hashed;
        return key.hash(position * 3);
    };
    for (std::uint32_t i = 0; i < count; ++i) {
        index.grow(i, hash_of);
        index.slot(index.key().hash(i * 3), [i](std::uint32_t position) { return position == i; }) = i;
    }
    EXPECT_LT(hashed, 100u);
    EXPECT_LT(index.longest_search(), 200u);
    std::size_t compared = 0;
    const auto find = [&](std::uint32_t number) {
        return index.find(index.key().hash(number), [&](std::uint32_t position) {
            ++compared;
            return position * 3 == number;
        });
    };
    for (std::uint32_t i = 0; i < count; ++i) {
        ASSERT_EQ(find(i * 3), i);
        ASSERT_EQ(find(i * 3 + 1), hash_index::none);
    }
    // Items are compared only when all 32 bits of their hashes are equal.
    EXPECT_LT(compared, count + 100);
    index.clear();
    EXPECT_EQ(find(0), hash_index::none);
}
TEST(value_rows, have_a_key_of_their_own_for_each_table) {
    value_rows one;
    value_rows two;
    for (std::uint32_t i = 0; i < 20'000; ++i) {
        (void)one.intern("192.0.2." + std::to_string(i));
        (void)two.intern("192.0.2." + std::to_string(i));
    }
    EXPECT_LT(one.index().longest_search(), 200u);
    EXPECT_LT(two.index().longest_search(), 200u);
    EXPECT_NE(one.index().key().seed(), two.index().key().seed());
}

} // namespace
} // namespace fingerpost::testing
