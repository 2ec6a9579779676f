// The hash tables beside those of packed leaves: what collides for who knows a key, or did under the hash
// that was there before, does not under the key that each table draws.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fingerpost/fib/hash_by_length.hpp"
#include "fingerpost/fib/word_turns.hpp"
#include "fingerpost/table/edit_list.hpp"
#include "io/format/names.hpp"
#include "tests/support/collisions.hpp"
#include "tests/support/tables.hpp"

namespace fingerpost::testing {
namespace {

TEST(hash_by_length, has_short_searches_but_for_who_knows_its_key) {
    using A = ipv6_address;
    constexpr std::size_t count = 3'000;
    table<A> all;
    for (const A cell : cells_for(hash_key(known_seed), 48, count))
        all.push_back({prefix<A>::make(cell, 48), {static_cast<std::uint32_t>(all.size())}});
    const routes<A> some(sorted(std::move(all)));
    build_options options;
    options.hash_seed = known_seed;
    const auto known = hash_by_length<A>::build(some, options);
    const auto random = hash_by_length<A>::build(some);
    ASSERT_TRUE(known && random);
    EXPECT_GT(known->longest_search(), count / 2);
    EXPECT_LT(random->longest_search(), 200u);
    for (const route<A>& r : some.sorted()) {
        ASSERT_EQ(known->lookup(r.where.base), r.hop);
        ASSERT_EQ(random->lookup(r.where.base), r.hop);
    }
}

// The hash of a transaction's changes was two rounds of multiplication without a key. Undone from the end:
// /64 whose hashes are equal in the lower 32 bits.
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
    EXPECT_LT(one.places().longest_search(), 200u);
    EXPECT_NE(one.places().key().seed(), two.places().key().seed());
    for (std::uint32_t i = 0; i < count; ++i) {
        ASSERT_NE(one.find(hostile[i]), nullptr);
        ASSERT_EQ(one.find(hostile[i])->hop, next_hop{i});
    }
    EXPECT_EQ(one.find(prefix<A>::make(hostile[1].base, 63)), nullptr);
    one.clear();
    EXPECT_EQ(one.find(hostile[0]), nullptr);
}
TEST(next_hop_names, have_a_key_of_their_own_for_each_table) {
    io::next_hop_names one;
    io::next_hop_names two;
    for (std::uint32_t i = 0; i < 20'000; ++i) {
        (void)one.intern("192.0.2." + std::to_string(i));
        (void)two.intern("192.0.2." + std::to_string(i));
    }
    EXPECT_LT(one.places().longest_search(), 200u);
    EXPECT_LT(two.places().longest_search(), 200u);
    EXPECT_NE(one.places().key().seed(), two.places().key().seed());
}
TEST(word_changes, find_numbers_that_collided_before) {
    const auto old_slot = [](std::uint32_t number) { return (number * 0x9e3779b9u >> 8) & 0xffff; };
    word_changes changes;
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t number = 0; number < 1u << simd::ranked_word_bits; ++number)
        if (old_slot(number) < 64)
            numbers.push_back(number);
    ASSERT_GT(numbers.size(), 300u);
    for (unsigned round = 0; round < 3; ++round) {
        for (const std::uint32_t number : numbers)
            changes.add({number, {}, simd::ranked_word::make(number, 1)});
        EXPECT_LT(changes.places().longest_search(), 150u);
        for (const std::uint32_t number : numbers) {
            ASSERT_NE(changes.find(number), nullptr);
            ASSERT_EQ(changes.find(number)->after.ends(), number);
        }
        EXPECT_EQ(changes.find(numbers.back() + 1), nullptr);
        changes.clear();
        EXPECT_EQ(changes.find(numbers[0]), nullptr);
    }
}

} // namespace
} // namespace fingerpost::testing
