// The number of errors that the limiter allows, and their times.
#include <gtest/gtest.h>

#include "router/packet/rate_limit.hpp"

namespace fingerpost::router {
namespace {

constexpr std::uint64_t second = 1'000'000'000;
constexpr ipv4_address somebody{0xc0000201};

TEST(RateLimit, OneDestination) {
    icmp_limiter limiter(second);
    std::uint64_t now = 5 * second;
    unsigned sent = 0;
    for (int i = 0; i < 100; ++i)
        sent += limiter.allow(somebody, now);
    EXPECT_EQ(sent, 6u);
    // After that one per second: not earlier, and not saved up beyond the burst.
    EXPECT_FALSE(limiter.allow(somebody, now + second - 1));
    EXPECT_TRUE(limiter.allow(somebody, now + second));
    EXPECT_FALSE(limiter.allow(somebody, now + second));
    EXPECT_TRUE(limiter.allow(somebody, now + 2 * second));
    now += 1000 * second;
    sent = 0;
    for (int i = 0; i < 100; ++i)
        sent += limiter.allow(somebody, now);
    EXPECT_EQ(sent, 6u);
}

TEST(RateLimit, FamiliesAndDestinationsApart) {
    icmp_limiter limiter(second);
    for (int i = 0; i < 6; ++i)
        EXPECT_TRUE(limiter.allow(somebody, second));
    EXPECT_FALSE(limiter.allow(somebody, second));
    EXPECT_TRUE(limiter.allow(ipv4_address{somebody.value + 1}, second));
    EXPECT_TRUE(limiter.allow(ipv6_address{somebody.value}, second));
    EXPECT_TRUE(limiter.allow(ipv6_address{u128{somebody.value} << 64}, second));
}

// A flood from changing addresses gets the burst and then 1,000 per second.
TEST(RateLimit, Overall) {
    icmp_limiter limiter(second);
    std::uint32_t next = 0x0a000000;
    unsigned sent = 0;
    for (std::uint64_t now = second; now < 3 * second; now += second / 100'000)
        sent += limiter.allow(ipv4_address{next++}, now);
    EXPECT_NEAR(sent, 2000 + 50, 1);
}

// Errors refused for one destination do not reduce the allowance of others.
TEST(RateLimit, RefusedOnesCostOthersNothing) {
    icmp_limiter limiter(second);
    for (int i = 0; i < 1000; ++i)
        limiter.allow(somebody, second);
    unsigned sent = 0;
    for (std::uint32_t i = 1; i <= 100; ++i)
        sent += limiter.allow(ipv4_address{somebody.value + i}, second);
    EXPECT_EQ(sent, 44u);
}

TEST(RateLimit, TooBigIsCountedForItself) {
    icmp_limiter limiter(second);
    unsigned sent = 0;
    for (int i = 0; i < 100; ++i)
        sent += limiter.allow_too_big(second);
    EXPECT_EQ(sent, 50u);
    EXPECT_TRUE(limiter.allow(somebody, second));
    EXPECT_FALSE(limiter.allow_too_big(second));
    EXPECT_TRUE(limiter.allow_too_big(second + second / 1000));
}

// With more destinations than buckets, a destination is remembered at least until another one replaces it.
TEST(RateLimit, SmallTables) {
    icmp_rates rates;
    rates.overall_per_second = 1'000'000;
    rates.overall_burst = 1'000'000;
    for (const std::size_t places : {0, 4, 64}) {
        icmp_limiter limiter(second, rates, places);
        unsigned sent = 0;
        for (std::uint32_t i = 0; i < 1000; ++i)
            sent += limiter.allow(ipv4_address{0x0a000000 + i}, second);
        EXPECT_EQ(sent, 1000u);
        // The last one still has its bucket.
        for (int i = 0; i < 5; ++i)
            EXPECT_TRUE(limiter.allow(ipv4_address{0x0a000000 + 999}, second));
        EXPECT_FALSE(limiter.allow(ipv4_address{0x0a000000 + 999}, second));
    }
}

// A clock that goes back delays tokens by the same time, and has no other effect.
TEST(RateLimit, TimeMayGoBackALittle) {
    icmp_limiter limiter(second);
    for (std::uint64_t i = 0; i < 5; ++i)
        EXPECT_TRUE(limiter.allow(somebody, second - i));
    EXPECT_FALSE(limiter.allow(somebody, second - 5));
    EXPECT_TRUE(limiter.allow(somebody, second));
    EXPECT_TRUE(limiter.allow(somebody, 2 * second));
}

} // namespace
} // namespace fingerpost::router
