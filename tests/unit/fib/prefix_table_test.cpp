// The hash table of prefixes: compared with a map through random changes, and attacked with prefixes chosen
// to collide.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fingerpost/fib/parts/lengths/prefix_table.hpp"
#include "tests/support/tables/collisions.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing::of_prefix_table {
namespace {

template <class Key>
class PrefixTable : public ::testing::Test {
  protected:
    using named = std::pair<Key, unsigned>;
    static Key first_bits(std::uint64_t number, unsigned length) {
        return static_cast<Key>(static_cast<Key>(number * detail::mix64_step) << (sizeof(Key) * 8 - 64)) &
               leading_mask<Key>(length);
    }
    // All entries can be found, and their number is the table's size.
    static void expect_equal(const prefix_table<Key>& table, const std::map<named, std::uint64_t>& truth) {
        ASSERT_EQ(table.size(), truth.size());
        for (const auto& [name, user] : truth) {
            const std::uint64_t* word = table.find(name.first, name.second);
            ASSERT_NE(word, nullptr);
            ASSERT_EQ(*word & prefix_bucket<Key>::user_mask, user);
        }
        std::size_t seen = 0;
        table.for_each([&](Key key, unsigned length, std::uint64_t word) {
            ++seen;
            const auto at = truth.find({key, length});
            ASSERT_NE(at, truth.end());
            ASSERT_EQ(word & prefix_bucket<Key>::user_mask, at->second);
        });
        ASSERT_EQ(seen, truth.size());
        for (std::size_t i = 0; i < table.bucket_count(); ++i) {
            const prefix_bucket<Key>& here = table.buckets()[i];
            for (unsigned slot = 0; slot < prefix_bucket<Key>::slots; ++slot)
                ASSERT_FALSE(here.is_passed() && here.length(slot) == 0) << "a bucket with room was passed";
        }
    }
};
using keys = ::testing::Types<std::uint64_t, u128>;
TYPED_TEST_SUITE(PrefixTable, keys);

TYPED_TEST(PrefixTable, HoldsWhatAMapHolds) {
    using Key = TypeParam;
    random_numbers random(3);
    auto table = prefix_table<Key>::make(0, std::nullopt);
    ASSERT_TRUE(table);
    std::map<std::pair<Key, unsigned>, std::uint64_t> truth;
    std::size_t erased = 0;
    for (std::size_t round = 0; round < 60'000; ++round) {
        const unsigned length = static_cast<unsigned>(1 + random.below(sizeof(Key) * 8));
        const Key key = this->first_bits(random.below(40), length);
        // The table grows in the first half of the test and shrinks in the second.
        const bool comes = random.below(100) < (round < 30'000 ? 70U : 30U);
        const auto at = truth.find({key, length});
        if (comes && at == truth.end()) {
            const std::uint64_t user = random.below(prefix_bucket<Key>::user_mask);
            ASSERT_EQ(table->insert(key, length, user), errc::ok);
            truth[{key, length}] = user;
        } else if (!comes) {
            ASSERT_EQ(table->erase(key, length), at != truth.end());
            erased += truth.erase({key, length});
        } else {
            const std::uint64_t user = random.below(prefix_bucket<Key>::user_mask);
            prefix_table<Key>::keep(*table->find(key, length), user);
            at->second = user;
        }
        ASSERT_EQ(table->find(key, length) != nullptr, truth.contains({key, length}));
        if (round % 1000 == 0) {
            ASSERT_NO_FATAL_FAILURE(this->expect_equal(*table, truth));
        }
    }
    ASSERT_NO_FATAL_FAILURE(this->expect_equal(*table, truth));
    EXPECT_GT(erased, 5'000U);
    auto fresh = prefix_table<Key>::make(truth.size(), std::nullopt);
    ASSERT_TRUE(fresh);
    EXPECT_LE(table->memory_bytes(), fresh->memory_bytes() * 11 / 10 + 1024);
}

TYPED_TEST(PrefixTable, IsThreeQuartersFull) {
    using Key = TypeParam;
    constexpr std::size_t count = 30'000;
    auto table = prefix_table<Key>::make(count, known_seed);
    ASSERT_TRUE(table);
    const std::size_t built = table->memory_bytes();
    for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(table->insert(this->first_bits(i + 1, 64), 64, i), errc::ok);
    EXPECT_EQ(table->memory_bytes(), built);
    EXPECT_NEAR(static_cast<double>(count) /
                    static_cast<double>(table->bucket_count() * prefix_bucket<Key>::slots),
                0.75, 0.01);
}

// /48 prefixes whose first home is bucket 0 under the key of this seed.
std::vector<std::uint64_t> of_one_home(std::size_t count) {
    constexpr std::size_t places = 1 << 11;
    const hash_key known(known_seed);
    std::vector<std::uint64_t> found;
    for (std::uint64_t i = 0; found.size() < count; ++i) {
        const std::uint64_t key = (0x2000'0000'0000 + i) << 16;
        if (hash_key::bucket(known.hash(key, 48), places) == 0)
            found.push_back(key);
    }
    return found;
}

TEST(prefix_table, draws_another_key_where_somebody_knew_the_first) {
    const auto chosen = of_one_home(3'000);
    auto known = prefix_table<std::uint64_t>::make(chosen.size(), known_seed);
    auto random = prefix_table<std::uint64_t>::make(chosen.size(), std::nullopt);
    ASSERT_TRUE(known && random);
    std::size_t longest = 0;
    for (const std::uint64_t key : chosen) {
        ASSERT_EQ(known->insert(key, 48, 1), errc::ok);
        ASSERT_EQ(random->insert(key, 48, 1), errc::ok);
        longest = std::max(longest, known->longest_search());
    }
    // The reason for the bound: without it, every search probes all of them.
    EXPECT_GT(longest, prefix_table<std::uint64_t>::most_passed - 10);
    EXPECT_EQ(known->redraws(), 1U);
    EXPECT_EQ(random->redraws(), 0U);
    EXPECT_LT(known->longest_search(), 100U);
    EXPECT_LT(random->longest_search(), 100U);
    for (const std::uint64_t key : chosen)
        ASSERT_NE(known->find(key, 48), nullptr);
}

TEST(prefix_table, gives_up_with_an_error_and_keeps_what_it_has) {
    // When no entry may leave its bucket, no key has room for all of these.
    const auto chosen = of_one_home(500);
    auto table = prefix_table<std::uint64_t>::make(0, known_seed, 0);
    ASSERT_TRUE(table);
    std::size_t fit = 0;
    errc end = errc::ok;
    for (const std::uint64_t key : chosen) {
        end = table->insert(key, 48, 1);
        if (end != errc::ok)
            break;
        ++fit;
    }
    ASSERT_EQ(end, errc::capacity);
    EXPECT_GE(table->redraws(), 8U);
    EXPECT_EQ(table->size(), fit);
    for (std::size_t i = 0; i < fit; ++i)
        ASSERT_NE(table->find(chosen[i], 48), nullptr);
}

} // namespace
} // namespace fingerpost::testing::of_prefix_table
