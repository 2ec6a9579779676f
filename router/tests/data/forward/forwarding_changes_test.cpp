// The table after many changes: nothing stale, lost or left over, and no number reused too early.
#include "router/tests/data/forward/forwarding_fixture.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

namespace fingerpost::router {
namespace {

using testing::at;
using testing::Forwarding;
using testing::net4;
using testing::net6;
using testing::via;

TEST_F(Forwarding, ASweepWithdrawsWhatWasNotAnnouncedAgain) {
    announce(net4("20.0.0.0/8"), via("10.0.0.2"));
    announce(net4("21.0.0.0/8"), via("10.0.0.2"));
    announce(net4("22.0.0.0/8"), via("10.0.0.2"));
    announce(net6("2001:db8:9::/48"), via("2001:db8::2"));
    made->begin_refresh();
    announce(net4("20.0.0.0/8"), via("10.0.0.2"));
    announce(net4("22.0.0.0/8"), via("10.0.0.2"));
    made->withdraw(net4("22.0.0.0/8"));
    made->commit();
    EXPECT_EQ(kind("21.0.0.1"), hop_kind::unresolved) << "stale routes are followed until the sweep";
    made->sweep();
    made->commit();
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::unresolved);
    EXPECT_EQ(kind("21.0.0.1"), hop_kind::no_route);
    EXPECT_EQ(kind("22.0.0.1"), hop_kind::no_route);
    EXPECT_EQ(kind("2001:db8:9::1"), hop_kind::no_route);
    EXPECT_EQ(kind("10.0.0.7"), hop_kind::connected);
    EXPECT_EQ(made->ipv4_counts().swept, 1u);
    made->sweep();
    made->commit();
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::unresolved) << "a sweep without a refresh does nothing";
}

TEST_F(Forwarding, StaleRoutesAreCountedByFamily) {
    EXPECT_EQ(made->stale(), stale_routes{});
    for (const char* const one : {"20.0.0.0/8", "21.0.0.0/8", "22.0.0.0/8"})
        announce(net4(one), via("10.0.0.2"));
    announce(net6("2001:db8:9::/48"), via("2001:db8::2"));
    // Hidden by a route of the router itself.
    announce(net4("10.0.0.0/24"), via("10.0.0.2"));
    EXPECT_EQ(made->stale(), stale_routes{}) << "nothing is stale without a refresh";
    made->begin_refresh();
    EXPECT_EQ(made->stale(), (stale_routes{{4, 4}, {1, 1}}))
        << "the router's own routes are none of the source";
    announce(net4("20.0.0.0/8"), via("10.0.0.3"));
    announce(net4("20.0.0.0/8"), via("10.0.0.4"));
    announce(net4("23.0.0.0/8"), via("10.0.0.2"));
    EXPECT_EQ(made->stale(), (stale_routes{{4, 3}, {1, 1}})) << "a new one was not stale before";
    made->withdraw(net4("23.0.0.0/8"));
    made->withdraw(net4("21.0.0.0/8"));
    made->withdraw(net4("99.0.0.0/8"));
    announce(net4("10.0.0.0/24"), via("10.0.0.2"));
    EXPECT_EQ(made->stale(), (stale_routes{{4, 1}, {1, 1}}));
    made->begin_refresh();
    EXPECT_EQ(made->stale(), (stale_routes{{3, 3}, {1, 1}})) << "a source that went away again";
    announce(net6("2001:db8:9::/48"), via("2001:db8::2"));
    made->sweep();
    made->commit();
    EXPECT_EQ(made->stale(), stale_routes{});
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::no_route);
    EXPECT_EQ(kind("2001:db8:9::1"), hop_kind::unresolved);
}

TEST_F(Forwarding, ANumberIsUsedAgainOnlyAfterAGracePeriod) {
    end_grace();
    resolve(10, "10.0.0.2", 42);
    announce(net4("20.0.0.0/8"), via("10.0.0.2", 11));
    const next_hop old = number("20.0.0.1");
    made->withdraw(net4("20.0.0.0/8"));
    made->commit();
    std::set<std::uint32_t> others;
    const auto use_one = [&](int i) {
        const std::string prefix = std::to_string(100 + i) + ".0.0.0/8";
        announce(net4(prefix.c_str()), via(("10.0.0." + std::to_string(100 + i)).c_str(), 10));
        others.insert(number((std::to_string(100 + i) + ".0.0.1").c_str()).id);
    };
    for (int i = 0; i < 10; ++i)
        use_one(i);
    EXPECT_FALSE(others.contains(old.id));
    EXPECT_EQ((*made->view().hops)[old].interface, 11u) << "packets in flight still find their entry";
    end_grace();
    use_one(10);
    EXPECT_TRUE(others.contains(old.id)) << "now it is the lowest free number";
}

TEST_F(Forwarding, NothingIsLeftOfRoutesThatHaveGone) {
    end_grace();
    const std::size_t before = made->hops().size();
    const std::size_t numbers = made->view().hops->size();
    for (int round = 0; round < 50; ++round) {
        for (int i = 1; i < 50; ++i)
            made->announce(net4((std::to_string(i + 100) + ".0.0.0/8").c_str()),
                           via(("10.0.0." + std::to_string(i)).c_str(), 10));
        made->set_group({1}, {action::forward, {{at("10.0.0.2"), 10, 1}, {at("10.0.0.3"), 10, 1}}});
        made->announce(net4("99.0.0.0/8"), group_id{1});
        made->commit();
        for (int i = 1; i < 50; ++i)
            made->withdraw(net4((std::to_string(i + 100) + ".0.0.0/8").c_str()));
        made->withdraw(net4("99.0.0.0/8"));
        made->commit();
        end_grace();
    }
    EXPECT_EQ(made->hops().size(), before);
    EXPECT_EQ(made->view().hops->size(), numbers);
}

TEST_F(Forwarding, NothingIsVisibleBeforeItsCommit) {
    made->announce(net4("20.0.0.0/8"), via("10.0.0.2"));
    made->poll();
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::no_route);
    made->commit();
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::unresolved);
}

TEST_F(Forwarding, RandomChangesLeaveWhatTheLastOfThemSaid) {
    std::mt19937 random(4711);
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    std::map<ipv4_prefix, std::uint32_t> model; // the last byte of the gateway
    std::set<ipv4_prefix> fresh;
    bool refreshing = false;
    for (int round = 0; round < 400; ++round) {
        for (unsigned n = pick(20); n-- > 0;) {
            const auto where = ipv4_prefix::make({(32u + pick(4)) << 24 | pick(4) << 14}, 8 + 5 * pick(4));
            if (pick(3) != 0) {
                const std::uint32_t gateway = 2 + pick(30);
                made->announce(where,
                               destination{action::forward, {{ipv4_address{0x0a000000u + gateway}, 10, 1}}});
                model[where] = gateway;
                fresh.insert(where);
            } else {
                made->withdraw(where);
                model.erase(where);
                fresh.erase(where);
            }
        }
        if (pick(20) == 0 && !refreshing) {
            made->begin_refresh();
            refreshing = true;
            fresh.clear();
        } else if (pick(20) == 0 && refreshing) {
            made->sweep();
            refreshing = false;
            std::erase_if(model, [&](const auto& one) { return !fresh.contains(one.first); });
        }
        made->commit();
        if (pick(4) == 0)
            end_grace();
        auto reader = made->view().routes->reader();
        const auto now = reader->pin();
        for (int i = 0; i < 200; ++i) {
            const ipv4_address a{(32u + pick(4)) << 24 | pick(5) << 14 | pick(256)};
            std::uint32_t wanted = 0;
            int longest = -1;
            for (const auto& [where, gateway] : model)
                if (where.contains(a) && where.length > longest) {
                    longest = where.length;
                    wanted = 0x0a000000u + gateway;
                }
            const next_hop_entry& found = (*made->view().hops)[now.lookup(a)];
            ASSERT_EQ(found.kind, longest < 0 ? hop_kind::no_route : hop_kind::unresolved);
            ASSERT_EQ(found.gateway().value, wanted);
        }
    }
}

TEST_F(Forwarding, NumbersThatRunOutRefuseRoutesAndLoseNone) {
    auto small = forwarding::create({.taps = {"fp0"}, .most_next_hops = 2}, clock);
    ASSERT_TRUE(small);
    (*small)->announce(net4("20.0.0.0/8"), destination{action::blackhole, {}});
    (*small)->announce(net4("21.0.0.0/8"), destination{action::prohibit, {}});
    (*small)->announce(net4("22.0.0.0/8"), destination{action::unreachable, {}});
    (*small)->commit();
    EXPECT_EQ((*small)->ipv4_counts().refused, 1u);
    EXPECT_EQ((*small)->routes<ipv4_address>().size(), 2u);
    (*small)->withdraw(net4("20.0.0.0/8"));
    (*small)->commit();
    for (int i = 0; i < 3; ++i) {
        clock.over = clock.begun;
        (*small)->poll();
    }
    (*small)->announce(net4("22.0.0.0/8"), destination{action::unreachable, {}});
    (*small)->commit();
    EXPECT_EQ((*small)->routes<ipv4_address>().size(), 2u);
}

} // namespace
} // namespace fingerpost::router
