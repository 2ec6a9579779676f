// The FPM server over real loopback sockets; this test acts as its clients.
#include "router/routes/fpm/fpm_server.hpp"

#include <algorithm>
#include <functional>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "router/routes/fpm/socket_address.hpp"
#include "router/tests/routes/netlink_bytes.hpp"
#include "router/tests/routes/recording_sink.hpp"
#include "system/log.hpp"

namespace fingerpost::router {
namespace {

using namespace testing;
using namespace std::chrono_literals;

bytes route_by(unsigned octet, unsigned gateway, std::uint16_t type = RTM_NEWROUTE, std::uint16_t flags = 0) {
    return message_bytes(type, route_header(AF_INET, 24), flags)
        .attribute(RTA_DST, {10, octet >> 8, octet & 255, 0})
        .attribute(RTA_GATEWAY, {192, 0, 2, gateway})
        .attribute(RTA_OIF, std::uint32_t{1})
        .done();
}
bytes route_by_group(unsigned octet, std::uint32_t group) {
    return message_bytes(RTM_NEWROUTE, route_header(AF_INET, 24))
        .attribute(RTA_DST, {10, octet >> 8, octet & 255, 0})
        .attribute(RTA_NH_ID, group)
        .done();
}
bytes hop(std::uint32_t id, unsigned gateway, std::uint16_t type = RTM_NEWNEXTHOP) {
    return message_bytes(type, hop_header(AF_INET))
        .attribute(NHA_ID, id)
        .attribute(NHA_GATEWAY, {192, 0, 2, gateway})
        .attribute(NHA_OIF, std::uint32_t{1})
        .done();
}
any_prefix where(unsigned octet) {
    return network("10." + std::to_string(octet >> 8) + "." + std::to_string(octet & 255) + ".0/24");
}
destination to(unsigned gateway) {
    return {action::forward, {by("192.0.2." + std::to_string(gateway), 1)}};
}

class client {
  public:
    explicit client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
        socket_address where = socket_address_of(ipv4_address{0x7f000001}, port);
        EXPECT_EQ(::connect(fd_.get(), where.get(), where.length), 0);
    }
    void send(const bytes& what) const {
        EXPECT_EQ(::send(fd_.get(), what.data(), what.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(what.size()));
    }
    // True if the server has closed the connection.
    bool is_closed() const {
        char c = 0;
        return ::recv(fd_.get(), &c, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET;
    }
    void close() { fd_.reset(); }

  private:
    system::unique_fd fd_;
};

// Uses only the quiet time, because most tests are about other things.
constexpr stale_times brief{.hold = 60s, .quiet = 80ms, .limit = 400ms, .converged_percent = 0};

struct fpm_servers : ::testing::Test {
    std::vector<std::string> lines;
    system::log_writer before = system::set_log_writer(
        [this](system::log_level, std::string_view text) { lines.emplace_back(text); });
    system::event_loop loop = std::move(*system::event_loop::create());
    recorded_routes sink;
    std::unique_ptr<fpm_server> server = open({.port = 0, .times = brief});

    ~fpm_servers() override { system::set_log_writer(before); }

    std::unique_ptr<fpm_server> open(const fpm_options& options) {
        auto opened = fpm_server::open(loop, sink, options);
        EXPECT_TRUE(opened) << (opened ? "" : opened.error().reason);
        return std::move(*opened);
    }
    // Runs the loop until holds() is true.
    bool until(const std::function<bool()>& holds) {
        const auto end = system::event_loop::clock::now() + 60s; // sanitizers and busy machines are slow
        while (!holds() && system::event_loop::clock::now() < end)
            EXPECT_FALSE(loop.run_once(10ms));
        return holds();
    }
    void run(system::event_loop::clock::duration time) {
        const auto end = system::event_loop::clock::now() + time;
        while (system::event_loop::clock::now() < end)
            EXPECT_FALSE(loop.run_once(5ms));
    }
    const fpm_statistics& counted() const { return server->statistics(); }
    bool is_returning() const { return server->state() == feed_state::returning; }
    bool has_route(unsigned octet) { return sink.routes.contains(where(octet)); }
};

TEST_F(fpm_servers, routes_come_change_and_go) {
    const client zebra(server->port());
    zebra.send(framed(route_by(1, 1)) + framed(route_by(2, 2) + route_by(3, 3)));
    EXPECT_TRUE(until([&] { return sink.routes.size() == 3; }));
    EXPECT_EQ(sink.resolved(where(2)), to(2));
    EXPECT_EQ(sink.refreshes, 1U);
    EXPECT_TRUE(is_returning());
    zebra.send(framed(route_by(2, 9, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE)) + framed(route_by(3, 8)));
    EXPECT_TRUE(until([&] { return counted().frames == 4; }));
    EXPECT_EQ(sink.resolved(where(2)), to(9));
    EXPECT_EQ(sink.resolved(where(3)), to(8)) << "replaced, also without the flag";
    zebra.send(framed(route_by(1, 1, RTM_DELROUTE)));
    EXPECT_TRUE(until([&] { return sink.routes.size() == 2; }));
    EXPECT_TRUE(until([&] { return !is_returning(); }));
    EXPECT_EQ(sink.sweeps, 1U);
    EXPECT_EQ(sink.routes.size(), 2U);
    EXPECT_EQ(sink.uncommitted, 0U);
    EXPECT_EQ(counted().routes, 5U);
    EXPECT_EQ(counted().withdrawals, 1U);
    EXPECT_EQ(counted().errors, 0U);
}

TEST_F(fpm_servers, a_stream_cut_at_every_byte) {
    const client zebra(server->port());
    const bytes stream = framed(route_by(1, 1)) + framed(hop(7, 7) + route_by_group(2, 7));
    for (const std::byte one : stream) {
        zebra.send({one});
        run(1ms);
    }
    EXPECT_TRUE(until([&] { return counted().frames == 2; }));
    EXPECT_EQ(sink.resolved(where(1)), to(1));
    EXPECT_EQ(sink.resolved(where(2)), to(7));
}

TEST_F(fpm_servers, groups_after_the_routes_that_name_them) {
    const client zebra(server->port());
    zebra.send(framed(route_by_group(1, 40)) + framed(route_by_group(2, 40)));
    EXPECT_TRUE(until([&] { return sink.routes.size() == 2; }));
    EXPECT_EQ(sink.resolved(where(1)), (destination{action::unreachable, {}}));
    zebra.send(framed(hop(40, 4)));
    EXPECT_TRUE(until([&] { return sink.resolved(where(1)) == to(4); }));
    EXPECT_EQ(sink.resolved(where(2)), to(4));
    zebra.send(framed(hop(40, 5)));
    EXPECT_TRUE(until([&] { return sink.resolved(where(2)) == to(5); }));
    zebra.send(framed(hop(40, 5, RTM_DELNEXTHOP)));
    EXPECT_TRUE(until([&] { return counted().group_removals == 1; }));
    EXPECT_EQ(sink.resolved(where(2)), (destination{action::unreachable, {}}));
}

TEST_F(fpm_servers, many_routes_come_in_few_transactions) {
    const client zebra(server->port());
    bytes table;
    for (unsigned i = 0; i < 3000; ++i)
        table = table + framed(route_by(i, i & 255));
    zebra.send(table);
    EXPECT_TRUE(until([&] { return sink.routes.size() == 3000; }));
    EXPECT_LT(sink.commits, 30U);
    EXPECT_GT(sink.most_in_commit, 300U);
}

TEST_F(fpm_servers, after_a_reconnect_the_rest_is_swept) {
    client first(server->port());
    first.send(framed(route_by(1, 1)) + framed(route_by(2, 2)) + framed(hop(7, 7) + route_by_group(3, 7)));
    EXPECT_TRUE(until([&] { return !is_returning() && sink.routes.size() == 3; }));
    first.close();
    EXPECT_TRUE(until([&] { return !server->is_connected(); }));
    run(120ms);
    EXPECT_EQ(sink.routes.size(), 3U) << "without a client the routes stay";
    const client second(server->port());
    second.send(framed(hop(7, 99)) + framed(route_by(2, 2)));
    EXPECT_TRUE(until([&] { return counted().connections == 2 && counted().frames == 5; }));
    EXPECT_EQ(sink.routes.size(), 3U) << "stale routes are followed until the sweep";
    EXPECT_EQ(sink.resolved(where(3)), to(7)) << "not by what the new zebra calls by the old number";
    EXPECT_TRUE(until([&] { return counted().sweeps == 2; }));
    EXPECT_EQ(sink.routes.size(), 1U);
    EXPECT_EQ(sink.groups.size(), 1U);
    EXPECT_TRUE(has_route(2));
    EXPECT_EQ(sink.uncommitted, 0U);
}

TEST_F(fpm_servers, the_quiet_time_begins_with_the_first_message) {
    client first(server->port());
    first.send(framed(route_by(1, 1)));
    EXPECT_TRUE(until([&] { return counted().sweeps == 1; }));
    first.close();
    const client silent(server->port());
    EXPECT_TRUE(until([&] { return counted().connections == 2; }));
    run(200ms);
    EXPECT_TRUE(has_route(1)) << "a zebra that just started has said nothing yet";
    EXPECT_TRUE(until([&] { return counted().sweeps == 2; })) << "the limit ends the wait";
    EXPECT_FALSE(has_route(1));
}

TEST_F(fpm_servers, messages_put_the_sweep_off_until_the_limit) {
    client first(server->port());
    first.send(framed(route_by(1, 1)));
    EXPECT_TRUE(until([&] { return counted().sweeps == 1; }));
    first.close();
    const client busy(server->port());
    const auto start = system::event_loop::clock::now();
    while (counted().sweeps == 1 && system::event_loop::clock::now() - start < 5s) {
        busy.send(framed(route_by(2, 2)));
        run(10ms);
        const bool early = system::event_loop::clock::now() - start < 300ms;
        EXPECT_TRUE(has_route(1) || !early);
    }
    EXPECT_GE(system::event_loop::clock::now() - start, 300ms) << "longer than the quiet time";
    EXPECT_FALSE(has_route(1));
}

TEST_F(fpm_servers, a_connection_that_breaks_early_sweeps_nothing) {
    client first(server->port());
    first.send(framed(route_by(1, 1)) + framed(route_by(2, 2)));
    EXPECT_TRUE(until([&] { return counted().sweeps == 1; }));
    first.close();
    client second(server->port());
    second.send(framed(route_by(2, 3)));
    EXPECT_TRUE(until([&] { return counted().frames == 3; }));
    second.close();
    run(600ms);
    EXPECT_EQ(counted().sweeps, 1U);
    EXPECT_TRUE(has_route(1));
    const client third(server->port());
    third.send(framed(route_by(2, 3)));
    EXPECT_TRUE(until([&] { return counted().sweeps == 2; }));
    EXPECT_FALSE(has_route(1));
}

TEST_F(fpm_servers, a_second_client_is_refused_until_the_first_has_ended) {
    client first(server->port());
    first.send(framed(route_by(1, 1)));
    EXPECT_TRUE(until([&] { return has_route(1); }));
    for (unsigned i = 1; i <= 3; ++i) {
        const client second(server->port());
        EXPECT_TRUE(until([&] { return counted().refused == i; }));
        EXPECT_TRUE(until([&] { return second.is_closed(); }));
    }
    EXPECT_FALSE(first.is_closed());
    EXPECT_EQ(counted().connections, 1U);
    const auto refusals = std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
        return line.find("is refused because 127.0.0.1:") != std::string::npos;
    });
    EXPECT_EQ(refusals, 1) << "a client that tries for ever does not fill the log";
    first.send(framed(route_by(2, 2)));
    EXPECT_TRUE(until([&] { return has_route(2) && !is_returning(); })) << "the first goes on undisturbed";
    // The end of the first client and the connection of the next arrive together: the messages of the first
    // are applied, and the second is not refused.
    first.send(framed(route_by(3, 3)));
    first.close();
    const client next(server->port());
    EXPECT_TRUE(until([&] { return counted().connections == 2; }));
    EXPECT_EQ(counted().refused, 3U);
    EXPECT_TRUE(has_route(3));
    next.send(framed(route_by(2, 2)));
    EXPECT_TRUE(until([&] { return counted().sweeps == 2; }));
    EXPECT_FALSE(has_route(1));
    EXPECT_TRUE(has_route(2));
}

// This happened with FRR: zebra reconnects immediately with its own routes, and BGP's routes follow when its
// sessions are up.
TEST_F(fpm_servers, a_restart_loses_no_route_while_its_protocols_converge) {
    server = open({.port = 0, .times = {.hold = 60s, .quiet = 50ms, .limit = 60s}});
    client first(server->port());
    bytes table;
    for (unsigned i = 0; i < 100; ++i)
        table = table + framed(route_by(i, 1));
    first.send(table);
    EXPECT_TRUE(until([&] { return counted().sweeps == 1; }));
    first.close();
    EXPECT_TRUE(until([&] { return server->state() == feed_state::away; }));
    EXPECT_EQ(server->stale_routes(), 100U);
    EXPECT_TRUE(server->stale_since().has_value());
    const client second(server->port());
    second.send(framed(route_by(0, 1)) + framed(route_by(1, 1)));
    EXPECT_TRUE(until([&] { return server->stale_routes() == 98; }));
    run(200ms);
    EXPECT_EQ(counted().sweeps, 1U) << "quiet, but far from what there was";
    EXPECT_EQ(sink.routes.size(), 100U);
    // A withdrawn route is removed immediately, even while routes are stale.
    second.send(framed(route_by(1, 1, RTM_DELROUTE)));
    EXPECT_TRUE(until([&] { return !has_route(1); }));
    bytes rest;
    for (unsigned i = 2; i < 97; ++i)
        rest = rest + framed(route_by(i, 1));
    second.send(rest);
    EXPECT_TRUE(until([&] { return counted().sweeps == 2; })) << "95 of 100 are enough";
    EXPECT_EQ(sink.routes.size(), 96U);
    EXPECT_EQ(server->state(), feed_state::complete);
    EXPECT_FALSE(server->stale_since().has_value());
}

TEST_F(fpm_servers, routes_end_with_the_hold_time_of_a_source_that_stays_away) {
    server = open({.port = 0, .times = {.hold = 150ms, .quiet = 50ms, .limit = 60s}});
    client first(server->port());
    first.send(framed(hop(7, 7) + route_by_group(3, 7)) + framed(route_by(1, 1)));
    EXPECT_TRUE(until([&] { return counted().sweeps == 1; }));
    first.close();
    EXPECT_TRUE(until([&] { return server->state() == feed_state::away; }));
    EXPECT_TRUE(has_route(1));
    EXPECT_TRUE(until([&] { return server->state() == feed_state::ended; }));
    EXPECT_TRUE(sink.routes.empty());
    EXPECT_TRUE(sink.groups.empty());
    EXPECT_EQ(sink.uncommitted, 0U);
    EXPECT_NE(lines.back().find("did not reconnect; its 2 routes were withdrawn"), std::string::npos)
        << lines.back();
    const client late(server->port());
    late.send(framed(route_by(1, 1)));
    EXPECT_TRUE(until([&] { return has_route(1) && server->state() == feed_state::complete; }));
}

TEST_F(fpm_servers, routes_of_a_former_source_stay_as_if_this_one_had_gone) {
    sink.announce(where(1), to(1));
    sink.announce(where(2), to(2));
    stale_times times = brief;
    times.hold = 1h;
    const auto next = open({.port = 0, .times = times, .takes_over = true});
    EXPECT_EQ(next->state(), feed_state::away);
    run(150ms);
    EXPECT_TRUE(has_route(1) && has_route(2)) << "stale routes are followed";
    const client zebra(next->port());
    zebra.send(framed(route_by(1, 5)));
    EXPECT_TRUE(until([&] { return !has_route(2); })) << "the quiet time ends it";
    EXPECT_EQ(sink.resolved(where(1)), to(5));
    EXPECT_EQ(next->state(), feed_state::complete);
}

TEST_F(fpm_servers, a_shorter_hold_time_applies_at_once) {
    sink.announce(where(1), to(1));
    stale_times times = brief;
    times.hold = 1h;
    const auto next = open({.port = 0, .times = times, .takes_over = true});
    run(20ms);
    EXPECT_TRUE(has_route(1));
    times.hold = 0ms;
    next->set_times(times);
    EXPECT_FALSE(has_route(1));
    EXPECT_EQ(next->state(), feed_state::ended);
}

TEST_F(fpm_servers, a_damaged_frame_closes_the_connection_and_changes_nothing) {
    const client zebra(server->port());
    bytes bad = route_by(3, 3);
    bad[17] = std::byte{33};
    const bytes good = framed(route_by(1, 1));
    zebra.send(good + framed(route_by(2, 2) + bad) + framed(route_by(4, 4)));
    EXPECT_TRUE(until([&] { return counted().errors == 1; }));
    EXPECT_TRUE(zebra.is_closed());
    EXPECT_EQ(sink.routes.size(), 1U) << "what came before is applied, of the frame itself nothing";
    EXPECT_TRUE(has_route(1));
    EXPECT_EQ(sink.uncommitted, 0U);
    const std::string place = "byte " + std::to_string(good.size() + 4 + route_by(2, 2).size() + 16);
    ASSERT_GE(lines.size(), 2U);
    EXPECT_NE(lines[1].find(place + " of its stream: a prefix of 33 bits"), std::string::npos) << lines[1];
    // The next client is served.
    const client next(server->port());
    next.send(framed(route_by(5, 5)));
    EXPECT_TRUE(until([&] { return has_route(5); }));
}

TEST_F(fpm_servers, a_client_of_another_protocol_is_closed) {
    const client web(server->port());
    const std::string request = "GET / HTTP/1.1\r\n";
    web.send(bytes(reinterpret_cast<const std::byte*>(request.data()),
                   reinterpret_cast<const std::byte*>(request.data() + request.size())));
    EXPECT_TRUE(until([&] { return web.is_closed(); }));
    EXPECT_EQ(counted().errors, 1U);
}

TEST_F(fpm_servers, what_is_not_for_the_main_table_is_left_out) {
    const client zebra(server->port());
    const auto of_table = [](std::uint32_t table) {
        return message_bytes(RTM_NEWROUTE, route_header(AF_INET, 0)).attribute(RTA_TABLE, table).done();
    };
    rtmsg some_sources = route_header(AF_INET6, 0);
    some_sources.rtm_src_len = 64;
    const auto link_local = message_bytes(RTM_NEWROUTE, route_header(AF_INET6, 64))
                                .attribute(RTA_DST, {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
                                .attribute(RTA_OIF, std::uint32_t{1})
                                .done();
    zebra.send(framed(link_local + of_table(10) + message_bytes(RTM_NEWROUTE, some_sources).done()) +
               framed(message_bytes(RTM_NEWROUTE, route_header(AF_INET, 0, RTN_BROADCAST)).done()) +
               framed(message_bytes(RTM_NEWROUTE, route_header(28, 20)).done()));
    EXPECT_TRUE(until([&] { return counted().frames == 3; }));
    EXPECT_EQ(counted().ignored, 4U);
    EXPECT_EQ(counted().other_tables, 1U);
    EXPECT_TRUE(sink.routes.empty());
    zebra.send(framed(of_table(0)));
    EXPECT_TRUE(until([&] { return sink.routes.size() == 1; }));
}

TEST_F(fpm_servers, tables_of_vrfs_are_kept_apart) {
    fpm_options options{.port = 0, .times = brief};
    options.vrfs.add({"red", 100});
    options.vrfs.add({"blue", 1'000'000});
    server = open(options);
    const client zebra(server->port());
    const auto in_table = [](std::uint32_t table, unsigned gateway, std::uint16_t type = RTM_NEWROUTE) {
        return message_bytes(type, route_header(AF_INET, 24))
            .attribute(RTA_TABLE, table)
            .attribute(RTA_DST, {10, 0, 1, 0})
            .attribute(RTA_GATEWAY, {192, 0, 2, gateway})
            .attribute(RTA_OIF, std::uint32_t{1})
            .done();
    };
    zebra.send(framed(in_table(RT_TABLE_MAIN, 1) + in_table(100, 2) + in_table(1'000'000, 3)));
    zebra.send(framed(in_table(101, 4) + in_table(102, 5)));
    EXPECT_TRUE(until([&] { return counted().frames == 2; }));
    EXPECT_EQ(sink.resolved(where(1)), to(1));
    EXPECT_EQ(sink.resolved(where(1), 1), to(2));
    EXPECT_EQ(sink.resolved(where(1), 2), to(3));
    EXPECT_EQ(counted().other_tables, 2U);
    const auto told = [](const std::string& line) { return line.find("which no VRF uses") != line.npos; };
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(), told), 1) << "the first of them only";
    zebra.send(framed(in_table(100, 2, RTM_DELROUTE)));
    EXPECT_TRUE(until([&] { return !sink.resolved(where(1), 1); }));
    EXPECT_EQ(sink.resolved(where(1)), to(1));
    EXPECT_EQ(sink.resolved(where(1), 2), to(3));
}

TEST_F(fpm_servers, a_port_that_is_taken_is_an_error) {
    const auto second = fpm_server::open(loop, sink, {.port = server->port()});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().reason,
              "bind 127.0.0.1:" + std::to_string(server->port()) + ": Address already in use");
}

TEST_F(fpm_servers, ipv6_addresses_and_the_end_of_the_server) {
    server = open({.address = address("::1"), .port = 0, .times = brief});
    EXPECT_NE(server->port(), 0);
    system::unique_fd fd(::socket(AF_INET6, SOCK_STREAM, 0));
    socket_address there = socket_address_of(address("::1"), server->port());
    EXPECT_EQ(to_string(there), "[::1]:" + std::to_string(server->port()));
    EXPECT_EQ(::connect(fd.get(), there.get(), there.length), 0);
    EXPECT_TRUE(until([&] { return server->is_connected(); }));
    server.reset();
    run(20ms); // no timer and no descriptor is left
    EXPECT_EQ(sink.sweeps, 0U);
}

} // namespace
} // namespace fingerpost::router
