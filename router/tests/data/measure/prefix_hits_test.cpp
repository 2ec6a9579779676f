// Estimates for prefixes from samples: their scale, their errors, and the recent windows.
#include "router/measure/prefix_hits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "router/measure/packet_samples.hpp"
#include "router/tests/data/addresses.hpp"

namespace fingerpost::router {
namespace {

using std::chrono::seconds;

sampled_prefix prefix4(unsigned number) {
    return {true, any_prefix(ipv4_prefix::make(ipv4_address{number << 8}, 24))};
}

TEST(PrefixHits, ScalesBySamplingRateAndGivesRecentRates) {
    const prefix_hits::clock::time_point start{};
    prefix_hits hits(100, start);
    for (int i = 0; i < 50; ++i)
        hits.add(prefix4(1));
    hits.pass(start + seconds(5));
    auto told = hits.estimates(start + seconds(5), 10);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_DOUBLE_EQ(told[0].packets, 5000);
    EXPECT_DOUBLE_EQ(told[0].per_second, 1000);
    EXPECT_NEAR(told[0].error, 100 * 1.96 * 7.14, 2);
    // Two windows later only the total is left, and a busier prefix comes first.
    hits.pass(start + seconds(10));
    hits.pass(start + seconds(20));
    hits.add(prefix4(2));
    told = hits.estimates(start + seconds(21), 10);
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0].of, prefix4(2));
    EXPECT_EQ(told[1].of, prefix4(1));
    EXPECT_DOUBLE_EQ(told[1].per_second, 0);
    EXPECT_DOUBLE_EQ(told[1].packets, 5000);
    EXPECT_EQ(hits.estimates(start + seconds(21), 1).size(), 1u);
}

TEST(PrefixHits, HasNoErrorWhenEveryPacketIsDrawn) {
    prefix_hits hits(1);
    for (int i = 0; i < 7; ++i)
        hits.add({false, std::nullopt});
    const auto told = hits.estimates(prefix_hits::clock::now(), 10);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_FALSE(told[0].of.where);
    EXPECT_DOUBLE_EQ(told[0].packets, 7);
    EXPECT_DOUBLE_EQ(told[0].error, 0);
}

TEST(PacketSamples, DrawsEachPacketWithTheSameProbability) {
    constexpr unsigned one_in = 50;
    constexpr unsigned packets = 1'000'000;
    constexpr unsigned flows = 4; // in turn: a fixed distance would sample only some of them
    packet_samples samples;
    samples.draw_one_in(one_in);
    std::array<std::uint64_t, flows> drawn{};
    std::mt19937 random(3);
    for (unsigned at = 0; at < packets;) {
        const unsigned size = std::min(1 + static_cast<unsigned>(random() % 64), packets - at);
        samples.pass(size, [&](std::size_t i) {
            EXPECT_LT(i, size);
            return packet_sample{ipv4_address{static_cast<std::uint32_t>(at + i)}, 0};
        });
        at += size;
        samples.take(
            [&](const packet_sample& one) { ++drawn[std::get<ipv4_address>(one.to).value % flows]; });
    }
    EXPECT_EQ(samples.lost(), 0u);
    // Five standard deviations.
    const double expected = static_cast<double>(packets) / one_in / flows;
    for (const std::uint64_t count : drawn)
        EXPECT_NEAR(static_cast<double>(count), expected, 5 * std::sqrt(expected));
}

TEST(PacketSamples, DrawsAllOrNoneAndCountsWhatIsLost) {
    packet_samples samples;
    std::size_t asked = 0;
    const auto sample_of = [&](std::size_t i) {
        ++asked;
        return packet_sample{ipv4_address{static_cast<std::uint32_t>(i)}, 0};
    };
    for (int i = 0; i < 100; ++i)
        samples.pass(64, sample_of);
    EXPECT_EQ(asked, 0u);
    samples.draw_one_in(0);
    samples.pass(64, sample_of);
    EXPECT_EQ(asked, 0u);
    samples.draw_one_in(1);
    for (int i = 0; i < 20; ++i)
        samples.pass(64, sample_of);
    EXPECT_EQ(asked, 1280u);
    std::size_t taken = 0;
    samples.take([&](const packet_sample& one) {
        EXPECT_EQ(std::get<ipv4_address>(one.to).value, taken % 64);
        ++taken;
    });
    EXPECT_EQ(taken, 1024u);
    EXPECT_EQ(samples.lost(), 256u);
}

} // namespace
} // namespace fingerpost::router
