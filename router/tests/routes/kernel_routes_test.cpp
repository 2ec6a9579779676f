// The choice among the kernel's routes, and the effect of its messages.
#include "router/routes/kernel/kernel_routes.hpp"

#include <string>

#include <gtest/gtest.h>
#include <linux/rtnetlink.h>
#include <malloc.h>

#include "router/tests/routes/recording_sink.hpp"
#include "tests/support/effort.hpp"

namespace fingerpost::router {
namespace {

using namespace testing;

route_message route(const std::string& where, std::uint32_t metric, std::vector<path> paths) {
    route_message message;
    message.where = network(where);
    message.table = RT_TABLE_MAIN;
    message.type = RTN_UNICAST;
    message.metric = metric;
    message.paths = std::move(paths);
    return message;
}
route_message removed(route_message message) {
    message.removed = true;
    return message;
}
route_message replaced(route_message message) {
    message.replaces = true;
    return message;
}

struct kernel_tables : ::testing::Test {
    recorded_routes sink;
    kernel_routes table{sink};

    // Returns true if the event was sufficient.
    bool event(const route_message& message) { return table.take_event(message); }
    std::optional<destination> at(const std::string& where) { return sink.resolved(network(where)); }
};

TEST_F(kernel_tables, the_lowest_metric_counts) {
    EXPECT_TRUE(event(route("10.0.0.0/8", 20, {by("192.0.2.1", 1)})));
    EXPECT_TRUE(event(route("10.0.0.0/8", 10, {by("192.0.2.2", 1)})));
    EXPECT_TRUE(event(route("10.0.0.0/8", 30, {by("192.0.2.3", 1)})));
    EXPECT_EQ(at("10.0.0.0/8"), forward({by("192.0.2.2", 1)}));
    EXPECT_TRUE(event(removed(route("10.0.0.0/8", 10, {by("192.0.2.2", 1)}))));
    EXPECT_EQ(at("10.0.0.0/8"), forward({by("192.0.2.1", 1)}));
    EXPECT_TRUE(event(removed(route("10.0.0.0/8", 30, {by("192.0.2.3", 1)}))));
    EXPECT_TRUE(event(removed(route("10.0.0.0/8", 20, {by("192.0.2.1", 1)}))));
    EXPECT_FALSE(at("10.0.0.0/8"));
    EXPECT_EQ(table.prefixes(), 0U);
    EXPECT_TRUE(event(removed(route("10.0.0.0/8", 20, {by("192.0.2.1", 1)})))) << "not known: nothing to do";
}

TEST_F(kernel_tables, what_does_not_count) {
    const auto with = [](auto change, const std::string& where = "2001:db8::/32") {
        route_message one = route(where, 1024, {by("", 3)});
        change(one);
        return counts_as_route(one);
    };
    EXPECT_TRUE(with([](route_message&) {}));
    EXPECT_FALSE(with([](route_message& one) { one.table = RT_TABLE_LOCAL; }));
    EXPECT_FALSE(with([](route_message& one) { one.table = 100; }));
    EXPECT_FALSE(with([](route_message& one) { one.cloned = true; }));
    EXPECT_FALSE(with([](route_message& one) { one.of_some_sources = true; }));
    EXPECT_FALSE(with([](route_message& one) { one.service = 4; }));
    EXPECT_FALSE(with([](route_message& one) { one.type = RTN_BROADCAST; }));
    EXPECT_FALSE(with([](route_message&) {}, "fe80::/64"));
    EXPECT_FALSE(with([](route_message&) {}, "fe80::/10"));
    EXPECT_FALSE(with([](route_message&) {}, "ff00::/8"));
    EXPECT_FALSE(with([](route_message&) {}, "ff02::1/128"));
    EXPECT_TRUE(with([](route_message&) {}, "fc00::/7"));
    EXPECT_TRUE(with([](route_message&) {}, "::/0"));
    const auto no_route = [](route_message& one) {
        one.type = RTN_UNREACHABLE;
        one.protocol = RTPROT_KERNEL;
        one.metric = 0xffffffff;
    };
    EXPECT_FALSE(with(no_route, "::/0"));
    EXPECT_TRUE(with(no_route, "2001:db8::/32"));
    EXPECT_TRUE(with(
        [&](route_message& one) {
            no_route(one);
            one.protocol = RTPROT_STATIC;
        },
        "::/0"))
        << "the operator's own";
}

TEST_F(kernel_tables, ipv6_tells_of_paths_one_by_one) {
    const path one = by("fe80::1", 1), two = by("fe80::2", 2), three = by("fe80::3", 3);
    const std::string where = "2001:db8::/32";
    EXPECT_TRUE(event(route(where, 1024, {one})));
    EXPECT_TRUE(event(route(where, 1024, {two, one}))) << "one more path";
    EXPECT_TRUE(event(route(where, 1024, {three, two, one})));
    EXPECT_EQ(at(where), forward({one, two, three}));
    EXPECT_TRUE(event(removed(route(where, 1024, {two}))));
    EXPECT_EQ(at(where), forward({one, three}));
    EXPECT_TRUE(event(replaced(route(where, 1024, {two}))));
    EXPECT_EQ(at(where), forward({two}));
    EXPECT_TRUE(event(removed(route(where, 1024, {two}))));
    EXPECT_FALSE(at(where));
}

TEST_F(kernel_tables, alternatives_of_one_metric_are_settled_by_a_dump) {
    const auto first = route("10.0.0.0/8", 0, {by("192.0.2.1", 1)});
    auto appended = route("10.0.0.0/8", 0, {by("192.0.2.2", 1)});
    appended.appended = true;
    EXPECT_TRUE(event(first));
    EXPECT_TRUE(event(appended));
    EXPECT_EQ(at("10.0.0.0/8"), forward({by("192.0.2.1", 1)}));
    const auto before_all = route("10.0.0.0/8", 0, {by("192.0.2.3", 1)});
    EXPECT_TRUE(event(before_all));
    EXPECT_EQ(at("10.0.0.0/8"), forward({by("192.0.2.3", 1)}));
    EXPECT_TRUE(event(removed(appended))) << "not the one in use";
    EXPECT_EQ(at("10.0.0.0/8"), forward({by("192.0.2.3", 1)}));
    EXPECT_FALSE(event(removed(before_all))) << "which one is used now only a dump can tell";
    table.begin_refresh();
    table.begin_dump();
    table.take_dumped(first);
    table.take_dumped(appended);
    table.sweep();
    EXPECT_EQ(at("10.0.0.0/8"), forward({by("192.0.2.1", 1)})) << "the kernel dumps the one in use first";
}

TEST_F(kernel_tables, a_refresh_keeps_routes_until_the_sweep) {
    EXPECT_TRUE(event(route("10.0.0.0/8", 0, {by("192.0.2.1", 1)})));
    EXPECT_TRUE(event(route("11.0.0.0/8", 5, {by("192.0.2.1", 1)})));
    table.begin_refresh();
    table.begin_dump();
    EXPECT_TRUE(at("10.0.0.0/8"));
    table.take_dumped(route("11.0.0.0/8", 9, {by("192.0.2.2", 1)}));
    table.sweep();
    EXPECT_FALSE(at("10.0.0.0/8"));
    EXPECT_EQ(at("11.0.0.0/8"), forward({by("192.0.2.2", 1)})) << "the lower metric is gone";
}

TEST_F(kernel_tables, what_one_dump_of_a_refresh_shows_stays) {
    for (const char* where : {"2001:db8:1::/48", "2001:db8:2::/48", "2001:db8:3::/48", "2001:db8:4::/48"})
        EXPECT_TRUE(event(route(where, 1024, {by("2001:db8::1", 1)})));
    table.begin_refresh();
    table.begin_dump();
    table.take_dumped(route("2001:db8:1::/48", 1024, {by("2001:db8::1", 1)}));
    table.take_dumped(route("2001:db8:2::/48", 1024, {by("2001:db8::1", 1)}));
    table.begin_dump();
    table.take_dumped(route("2001:db8:2::/48", 1024, {by("2001:db8::2", 1)}));
    table.take_dumped(route("2001:db8:3::/48", 9, {by("2001:db8::3", 1)}));
    EXPECT_TRUE(event(removed(route("2001:db8:1::/48", 1024, {by("2001:db8::1", 1)}))));
    EXPECT_EQ(table.prefixes(), 3U);
    table.sweep();
    EXPECT_FALSE(at("2001:db8:1::/48")) << "an event said so";
    EXPECT_EQ(at("2001:db8:2::/48"), forward({by("2001:db8::2", 1)})) << "as the last dump showed it";
    EXPECT_EQ(at("2001:db8:3::/48"), forward({by("2001:db8::3", 1)}));
    EXPECT_FALSE(at("2001:db8:4::/48")) << "no dump showed it";
    EXPECT_EQ(table.prefixes(), 2U);
}

TEST_F(kernel_tables, a_lower_metric_that_no_dump_shows_hides_the_other_until_the_sweep) {
    EXPECT_TRUE(event(route("10.0.0.0/8", 5, {by("192.0.2.1", 1)})));
    table.begin_refresh();
    table.begin_dump();
    table.take_dumped(route("10.0.0.0/8", 9, {by("192.0.2.2", 1)}));
    EXPECT_EQ(at("10.0.0.0/8"), forward({by("192.0.2.1", 1)}));
    table.sweep();
    EXPECT_EQ(at("10.0.0.0/8"), forward({by("192.0.2.2", 1)}));
}

TEST_F(kernel_tables, an_ipv6_route_that_a_dump_shows_twice_is_one) {
    const auto one = route("2001:db8::/32", 1024, {by("2001:db8::1", 1)});
    table.begin_refresh();
    table.begin_dump();
    table.take_dumped(one);
    table.take_dumped(one);
    table.sweep();
    EXPECT_TRUE(event(removed(one))) << "nothing is left open";
    EXPECT_FALSE(at("2001:db8::/32"));
}

TEST_F(kernel_tables, next_hop_objects) {
    auto by_group = route("10.0.0.0/8", 0, {by("192.0.2.1", 1)}); // the kernel repeats the paths
    by_group.group = group_id{7};
    EXPECT_TRUE(event(by_group));
    EXPECT_EQ(at("10.0.0.0/8"), (destination{action::unreachable, {}}));
    next_hop_message one;
    one.id = 7;
    one.exit = by("192.0.2.9", 2);
    table.groups().set(one);
    EXPECT_EQ(at("10.0.0.0/8"), forward({by("192.0.2.9", 2)}));
    EXPECT_TRUE(event(removed(by_group)));
    EXPECT_FALSE(at("10.0.0.0/8"));
}

TEST(kernel_routes, tables_of_vrfs_are_kept_apart) {
    recorded_routes sink;
    vrf_list vrfs;
    const vrf_number red = vrfs.add({"red", 100}), blue = vrfs.add({"blue", 300});
    kernel_routes table(sink, vrfs);
    const auto in_table = [](std::uint32_t number, const char* gateway) {
        route_message one = route("10.0.0.0/8", 0, {by(gateway, 1)});
        one.table = number;
        return one;
    };
    const any_prefix where = network("10.0.0.0/8");
    EXPECT_TRUE(table.take_event(in_table(RT_TABLE_MAIN, "192.0.2.1")));
    EXPECT_TRUE(table.take_event(in_table(100, "192.0.2.2")));
    EXPECT_TRUE(table.take_event(in_table(300, "192.0.2.3")));
    EXPECT_TRUE(table.take_event(in_table(101, "192.0.2.4")));
    EXPECT_EQ(sink.resolved(where), forward({by("192.0.2.1", 1)}));
    EXPECT_EQ(sink.resolved(where, red), forward({by("192.0.2.2", 1)}));
    EXPECT_EQ(sink.resolved(where, blue), forward({by("192.0.2.3", 1)}));
    EXPECT_EQ(table.prefixes(), 3U);
    EXPECT_TRUE(table.take_event(removed(in_table(100, "192.0.2.2"))));
    EXPECT_FALSE(sink.resolved(where, red));
    EXPECT_EQ(sink.resolved(where), forward({by("192.0.2.1", 1)}));
    EXPECT_EQ(sink.resolved(where, blue), forward({by("192.0.2.3", 1)}));
    EXPECT_EQ(table.prefixes(), 2U);
}

// The kernel has them all in its main table unless the interfaces belong to VRF devices.
TEST(kernel_routes, with_vrfs_routes_of_addresses_are_the_routers_own) {
    route_message one = route("10.0.0.0/24", 0, {by("", 1)});
    one.protocol = RTPROT_KERNEL;
    vrf_list vrfs;
    EXPECT_TRUE(counts_as_route(one, vrfs));
    vrfs.add({"red", 100});
    EXPECT_FALSE(counts_as_route(one, vrfs));
    one.protocol = RTPROT_STATIC;
    EXPECT_TRUE(counts_as_route(one, vrfs));
}

struct no_sink final : route_sink {
    void announce(vrf_number, const any_prefix&, const route_target&) noexcept override {}
    void withdraw(vrf_number, const any_prefix&) noexcept override {}
    void set_group(group_id, const destination&) noexcept override {}
    void remove_group(group_id) noexcept override {}
    void begin_refresh() noexcept override {}
    void sweep() noexcept override {}
    stale_routes stale() const noexcept override { return {}; }
    void commit() noexcept override {}
};

// Heap bytes per route, for many routes with a few gateways.
double bytes_of_routes(const char* network_of_all, unsigned count) {
    no_sink sink;
    kernel_routes table(sink);
    route_message one = route(network_of_all, 0, {});
    const auto before = ::mallinfo2();
    for (unsigned i = 0; i < count; ++i) {
        if (auto* const ipv4 = std::get_if<ipv4_prefix>(&one.where))
            *ipv4 = ipv4_prefix::make(ipv4_address{10u << 24 | i << 4}, 28);
        else
            one.where = ipv6_prefix::make(ipv6_address{ipv6_address::value_type{0x20010000u + i} << 96}, 32);
        one.paths = {by("192.0.2.1", i % 50)};
        table.take_dumped(one);
    }
    const auto after = ::mallinfo2();
    EXPECT_EQ(table.prefixes(), count);
    return static_cast<double>(after.uordblks + after.hblkhd - before.uordblks - before.hblkhd) / count;
}

TEST(kernel_routes, a_route_takes_little_memory) {
#if defined(FINGERPOST_SANITIZED)
    GTEST_SKIP() << "the sanitizers have an allocator of their own";
#endif
    const double ipv4 = bytes_of_routes("10.0.0.0/28", 100'000);
    const double ipv6 = bytes_of_routes("2001::/32", 100'000);
    RecordProperty("bytes_of_an_ipv4_route", std::to_string(ipv4));
    RecordProperty("bytes_of_an_ipv6_route", std::to_string(ipv6));
    EXPECT_GT(ipv4, 20);
    EXPECT_LT(ipv4, 90);
    EXPECT_LT(ipv6, 140);
}

} // namespace
} // namespace fingerpost::router
