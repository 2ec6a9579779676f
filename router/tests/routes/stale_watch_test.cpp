// The rules of stale routes, with a clock that only this test moves.
#include "router/routes/sink/stale_watch.hpp"

#include <gtest/gtest.h>

namespace fingerpost::router {
namespace {

using namespace std::chrono_literals;

constexpr stale_times times{.hold = 300s, .quiet = 5s, .limit = 120s, .converged_percent = 95};

struct stale_watches : ::testing::Test {
    stale_watch watch{times};
    stale_watch::time now{};
    stale_routes stale{};

    bool is_over() const { return watch.decide(now, stale).withdraw; }
    // Time until the next decision; zero if time does not change it.
    std::chrono::nanoseconds rest() const {
        const auto again = watch.decide(now, stale).again;
        return again ? *again - now : 0ns;
    }
    // A source that has announced its table.
    void begin() {
        watch.connected(now);
        watch.heard(now);
        now += 5s;
        ASSERT_TRUE(is_over());
        watch.withdrawn();
        ASSERT_EQ(watch.state(), feed_state::complete);
    }
    void lose(std::uint64_t ipv4, std::uint64_t ipv6) {
        watch.lost(now);
        stale = {{ipv4, ipv4}, {ipv6, ipv6}};
    }
};

TEST_F(stale_watches, nothing_is_withdrawn_before_the_first_message) {
    EXPECT_EQ(watch.state(), feed_state::waiting);
    EXPECT_FALSE(is_over());
    EXPECT_EQ(rest(), 0ns);
    watch.connected(now);
    now += 60s;
    EXPECT_FALSE(is_over()) << "a zebra that has just started has nothing to say";
    EXPECT_EQ(rest(), 60s);
    watch.heard(now);
    EXPECT_EQ(rest(), 5s);
    now += 5s;
    EXPECT_TRUE(is_over());
}

TEST_F(stale_watches, a_source_that_is_there_withdraws_by_itself) {
    begin();
    now += 24h;
    EXPECT_FALSE(is_over());
    EXPECT_EQ(rest(), 0ns);
    watch.heard(now);
    now += 24h;
    EXPECT_FALSE(is_over());
}

TEST_F(stale_watches, without_a_source_routes_stay_for_the_hold_time) {
    begin();
    lose(1000, 100);
    EXPECT_EQ(watch.state(), feed_state::away);
    EXPECT_EQ(watch.stale_since(), now);
    EXPECT_EQ(rest(), 300s);
    now += 300s - 1ns;
    EXPECT_FALSE(is_over());
    now += 1ns;
    EXPECT_TRUE(is_over());
    watch.withdrawn();
    EXPECT_EQ(watch.state(), feed_state::ended);
    EXPECT_FALSE(watch.stale_since());
    EXPECT_FALSE(is_over());
}

TEST_F(stale_watches, a_restart_waits_for_each_family) {
    begin();
    lose(1000, 100);
    now += 3s;
    watch.connected(now);
    watch.heard(now);
    stale.ipv4.left = 900; // connected and static routes
    now += 5s;
    EXPECT_FALSE(is_over()) << "quiet is not complete";
    EXPECT_EQ(rest(), 115s) << "of the limit";
    now += 20s;
    watch.heard(now);
    stale.ipv4.left = 0;
    now += 6s;
    EXPECT_FALSE(is_over()) << "IPv6 is missing";
    watch.heard(now);
    stale.ipv6.left = 5;
    EXPECT_FALSE(is_over()) << "more may follow";
    now += 5s;
    EXPECT_TRUE(is_over());
    stale.ipv6.left = 6;
    EXPECT_FALSE(is_over()) << "94 of 100";
    watch.withdrawn();
    EXPECT_EQ(watch.state(), feed_state::complete);
}

TEST_F(stale_watches, the_limit_ends_a_return_that_never_converges) {
    begin();
    lose(1000, 0);
    now += 100s;
    watch.connected(now);
    for (unsigned i = 0; i < 120; ++i) {
        watch.heard(now);
        EXPECT_FALSE(is_over());
        EXPECT_LE(rest(), 5s);
        now += 1s;
    }
    EXPECT_TRUE(is_over());
}

TEST_F(stale_watches, a_return_that_breaks_off_is_held_anew) {
    begin();
    lose(1000, 0);
    const auto first = now;
    now += 200s;
    watch.connected(now);
    watch.heard(now);
    now += 1s;
    watch.lost(now);
    EXPECT_EQ(watch.stale_since(), first) << "some routes are as old as that";
    EXPECT_EQ(rest(), 300s);
    watch.connected(now);
    now += 10s;
    EXPECT_FALSE(is_over()) << "what the connection before had said does not count";
}

TEST_F(stale_watches, with_zero_percent_the_quiet_time_alone_counts) {
    watch = stale_watch({.hold = 0s, .quiet = 5s, .limit = 120s, .converged_percent = 0});
    begin();
    lose(1000, 1000);
    EXPECT_TRUE(is_over()) << "a hold time of zero";
    watch.connected(now);
    watch.heard(now);
    now += 5s;
    EXPECT_TRUE(is_over());
}

} // namespace
} // namespace fingerpost::router
