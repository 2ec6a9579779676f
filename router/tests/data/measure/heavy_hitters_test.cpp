// The counters of the most frequent keys, compared with exact counts.
#include "router/measure/heavy_hitters.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace fingerpost::router {
namespace {

TEST(HeavyHitters, IsExactWhileThereIsACounterForEachKey) {
    heavy_hitters<int> hits(8);
    for (int key = 0; key < 8; ++key)
        for (int i = 0; i <= key; ++i)
            hits.add(key);
    EXPECT_EQ(hits.total(), 36u);
    for (int key = 0; key < 8; ++key) {
        ASSERT_TRUE(hits.find(key));
        EXPECT_EQ(hits.find(key)->count, static_cast<std::uint64_t>(key + 1));
        EXPECT_EQ(hits.find(key)->error, 0u);
    }
    EXPECT_FALSE(hits.find(8));
}

TEST(HeavyHitters, TakesOverTheLowestCounter) {
    heavy_hitters<char> hits(2);
    for (const char key : {'a', 'a', 'a', 'b', 'c'})
        hits.add(key);
    EXPECT_FALSE(hits.find('b'));
    ASSERT_TRUE(hits.find('c'));
    EXPECT_EQ(hits.find('c')->count, 2u);
    EXPECT_EQ(hits.find('c')->error, 1u);
    EXPECT_EQ(hits.find('a')->count, 3u);
}

TEST(HeavyHitters, KeepsItsPromisesOnASkewedStream) {
    std::mt19937 random(7);
    constexpr std::size_t counters = 64;
    heavy_hitters<unsigned> hits(counters);
    std::map<unsigned, std::uint64_t> exact;
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int i = 0; i < 200'000; ++i) {
        const auto key = static_cast<unsigned>(1 / (uniform(random) + 1e-4)); // a few keys have most hits
        ++exact[key];
        hits.add(key);
    }
    std::size_t heavy = 0;
    for (const auto& [key, count] : exact)
        if (count > hits.total() / counters) {
            ++heavy;
            EXPECT_TRUE(hits.find(key)) << key;
        }
    EXPECT_GT(heavy, 5u);
    std::size_t kept = 0;
    hits.each([&](unsigned key, const auto& found) {
        ++kept;
        EXPECT_GE(found.count, exact[key]);
        EXPECT_LE(found.count - found.error, exact[key]);
        EXPECT_LE(found.error, hits.total() / counters);
    });
    EXPECT_EQ(kept, counters);
    hits.clear();
    EXPECT_EQ(hits.total(), 0u);
    EXPECT_FALSE(hits.find(1));
}

} // namespace
} // namespace fingerpost::router
