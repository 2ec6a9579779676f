// Inputs with several routing tables: which one is read, what is left out, and which of several routes for a
// prefix the kernel looks up. Whole listings are compared with the kernel's answers in
// tests/e2e/tables/kernel_tables_test.py.
#include "tests/support/tables/table_readers.hpp"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace fingerpost::io {
namespace {

using enum table_format;

// The rows, and what was left out.
std::string read_and_told(table_format format, std::string_view input, table_options options = {}) {
    std::string told;
    options.on_left_out = [&](const std::string& words) { told = "; left out " + words; };
    const std::string read = rows_in_chunks(format, input, options);
    return read + told;
}

constexpr std::string_view all_tables =
    "default via 192.0.2.10 dev d2 table 100 \n"
    "10.1.0.0/16 via 192.0.2.10 dev d2 table 100 \n"
    "10.1.0.0/16 via 192.0.2.14 dev d3 table 200 \n"
    "default via 192.0.2.2 dev d0 \n"
    "10.1.0.0/16 via 192.0.2.6 dev d1 \n"
    "local 10.1.0.1 dev d1 table local proto kernel scope host src 10.1.0.1 \n"
    "broadcast 10.1.255.255 dev d1 table local proto kernel scope link src 10.1.0.1 \n"
    "2001:db8::/32 via fe80::1 dev d1 table 100 metric 1024 pref medium\n"
    "multicast ff00::/8 dev d1 table local proto kernel metric 256 pref medium\n";
constexpr std::string_view all_tables_json =
    R"([{"dst":"default","gateway":"192.0.2.10","dev":"d2","table":"100","flags":[]},
{"dst":"10.1.0.0/16","gateway":"192.0.2.10","dev":"d2","table":"100","flags":[]},
{"dst":"10.1.0.0/16","gateway":"192.0.2.14","dev":"d3","table":"200","flags":[]},
{"dst":"default","gateway":"192.0.2.2","dev":"d0","flags":[]},
{"dst":"10.1.0.0/16","gateway":"192.0.2.6","dev":"d1","flags":[]},
{"type":"local","dst":"10.1.0.1","dev":"d1","table":"local","protocol":"kernel","scope":"host","flags":[]},
{"type":"broadcast","dst":"10.1.255.255","dev":"d1","table":"local","scope":"link","flags":[]},
{"dst":"2001:db8::/32","gateway":"fe80::1","dev":"d1","table":"100","metric":1024,"flags":[],"pref":"medium"},
{"type":"multicast","dst":"ff00::/8","dev":"d1","table":"local","metric":256,"flags":[],"pref":"medium"}])";

table_options of_table(std::string name) {
    return {.values = {"next_hop"}, .routing_table = std::move(name)};
}

TEST(routing_tables, TheMainTableOfLinuxIsRead) {
    for (const auto& [format, input] :
         {std::pair{ip_route, all_tables}, std::pair{ip_route_json, all_tables_json}}) {
        const std::string main = "next_hop|0.0.0.0/0=192.0.2.2;10.1.0.0/16=192.0.2.6;";
        EXPECT_EQ(read_and_told(format, input, of_table("")),
                  main + "; left out 1 route of table 200, 3 routes of table 100, 3 routes of table local");
        EXPECT_EQ(rows(format, input, of_table("main")), main);
        EXPECT_EQ(read_and_told(format, input, of_table("100")),
                  "next_hop|0.0.0.0/0=192.0.2.10;10.1.0.0/16=192.0.2.10;2001:db8::/32=fe80::1;"
                  "; left out 1 route of table 200, 2 routes of table main, 3 routes of table local");
        EXPECT_EQ(rows(format, input, of_table("local")),
                  "next_hop|10.1.0.1/32=d1;10.1.255.255/32=d1;ff00::/8=d1;");
        EXPECT_NE(rows(format, input, of_table("7"))
                      .find("no routes of the routing table '7', but 3 routes "
                            "of table 100, 1 route of table 200, 2 routes of table main"),
                  std::string::npos);
        const auto read = read_both(format, input);
        ASSERT_TRUE(read);
        EXPECT_EQ(read->ipv4.counts.left_out, 7U);
        EXPECT_EQ(read->ipv4.counts.duplicates + read->ipv4.counts.not_best, 0U);
    }
    // The main table by its number, as `ip -N` prints it.
    EXPECT_EQ(rows(ip_route, "10.0.0.0/8 dev d0 table 254\n10.0.0.0/8 dev d1 table 255\n", of_table("")),
              "next_hop|10.0.0.0/8=d0;");
}

TEST(routing_tables, OneTableAloneIsRead) {
    EXPECT_EQ(read_and_told(ip_route, "10.0.0.0/8 dev d0 table 100\n2001:db8::/32 dev d0 table 200\n",
                            of_table("")),
              "next_hop|10.0.0.0/8=d0;2001:db8::/32=d0;");
    // Which of several is meant only the user knows.
    const std::string_view two = "10.0.0.0/8 dev d0 table 100\n10.0.0.0/8 dev d1 table 200\n";
    EXPECT_EQ(rows(ip_route, two), "t:2: several routing tables, and none is the main table: 1 route of "
                                   "table 100, 1 route of table 200 "
                                   "(name one in table_options::routing_table)");
    EXPECT_EQ(rows(ip_route, two, of_table("200")), "next_hop|10.0.0.0/8=d1;");
    table_options six = of_table("");
    six.only = family::ipv6;
    EXPECT_EQ(rows(ip_route, two, six), "next_hop|");
}

TEST(routing_tables, TheDefaultVrfOfFrrIsRead) {
    const std::string_view shown = "frr# show ip route vrf all\n"
                                   "Codes: K - kernel route, C - connected, S - static, R - RIP,\n"
                                   "\n"
                                   "VRF blue:\n"
                                   "S>* 10.0.0.0/8 [1/0] via 192.0.2.9, b0, weight 1, 00:00:01\n"
                                   "S   11.0.0.0/8 [1/0] via 192.0.2.9, b0, weight 1, 00:00:01\n"
                                   "\n"
                                   "VRF default:\n"
                                   "S>* 10.0.0.0/8 [1/0] via 192.0.2.2, d0, weight 1, 00:00:01\n"
                                   "S   12.0.0.0/8 [1/0] via 192.0.2.2, d0, weight 1, 00:00:01\n"
                                   "\n"
                                   "VRF default table 100:\n"
                                   "S>* 10.0.0.0/8 [1/0] via 192.0.2.6, d1, weight 1, 00:00:01\n"
                                   "S>* 13.0.0.0/8 [1/0] via 192.0.2.6, d1, weight 1, 00:00:01\n"
                                   "frr#\n";
    EXPECT_EQ(read_and_told(show_route, shown, of_table("")),
              "next_hop|10.0.0.0/8=192.0.2.2;; left out 2 routes of table blue, 2 routes of table 100");
    EXPECT_EQ(rows(show_route, shown, of_table("blue")), "next_hop|10.0.0.0/8=192.0.2.9;");
    EXPECT_EQ(rows(show_route, shown, of_table("100")),
              "next_hop|10.0.0.0/8=192.0.2.6;13.0.0.0/8=192.0.2.6;");
    EXPECT_EQ(read_both(show_route, shown)->ipv4.counts.not_best, 1U);
    EXPECT_EQ(found_format(shown), "show-route");
    // A later version writes more into the heading.
    EXPECT_EQ(rows(show_route,
                   "IPv4 unicast VRF red:\nS>* 10.0.0.0/8 [1/0] via 192.0.2.9, b0, weight 1, 00:00:01\n"
                   "IPv4 unicast VRF default:\nS>* 10.0.0.0/8 [1/0] via 192.0.2.2, d0, weight 1, 00:00:01\n",
                   of_table("")),
              "next_hop|10.0.0.0/8=192.0.2.2;");
}

TEST(routing_tables, TheDefaultInstanceOfBgpIsRead) {
    const std::string_view head = "   Network          Next Hop            Metric LocPrf Weight Path\n";
    const auto instance = [&](std::string_view name, std::string_view hop) {
        return std::string(name)
            .append("\n")
            .append(head)
            .append("*> 10.0.0.0/8       ")
            .append(hop)
            .append("                0             0 64501 i\n\nDisplayed  1 routes and 1 total paths\n\n");
    };
    const std::string frr =
        instance("Instance blue:", "192.0.2.9") + instance("Instance default:", "192.0.2.2");
    EXPECT_EQ(read_and_told(show_bgp, frr, of_table("")),
              "next_hop|10.0.0.0/8=192.0.2.2;; left out 1 route of table blue");
    EXPECT_EQ(rows(show_bgp, frr, of_table("blue")), "next_hop|10.0.0.0/8=192.0.2.9;");
    EXPECT_EQ(found_format("\n" + frr), "show-bgp");
    const std::string cisco = instance("For address family: IPv4 Unicast\n", "192.0.2.2") +
                              instance("For address family: IPv4 Multicast\n", "192.0.2.9");
    EXPECT_EQ(read_and_told(show_bgp, cisco, of_table("")),
              "next_hop|10.0.0.0/8=192.0.2.2;; left out 1 route of table IPv4 Multicast");
    const std::string vpn = std::string(head) +
                            "Route Distinguisher: 64500:1 (default for vrf red)\n"
                            "*> 10.0.0.0/8       192.0.2.2                0             0 1 i\n"
                            "Route Distinguisher: 64500:2\n"
                            "*> 10.0.0.0/8       192.0.2.9                0             0 1 i\n";
    EXPECT_EQ(rows(show_bgp, vpn, of_table("red")), "next_hop|10.0.0.0/8=192.0.2.2;");
    EXPECT_EQ(rows(show_bgp, vpn, of_table("64500:2")), "next_hop|10.0.0.0/8=192.0.2.9;");
    EXPECT_NE(rows(show_bgp, vpn).find("several routing tables, of which none is the main one"),
              std::string::npos);
}

TEST(routing_tables, TheMasterTablesOfBirdAreRead) {
    const std::string_view shown =
        "BIRD 2.0.12 ready.\n"
        "Table t4:\n"
        "10.0.0.0/8           unicast [s1 22:41:28.918] * (200)\n\tvia 192.0.2.9 on e0\n"
        "\n"
        "Table master4:\n"
        "10.0.0.0/8           unicast [s4 22:41:28.918] * (200)\n\tvia 192.0.2.2 on e0\n"
        "\n"
        "Table master6:\n"
        "2001:db8::/32        unicast [s6 22:41:28.918] * (200)\n\tvia fe80::2 on e0\n";
    EXPECT_EQ(read_and_told(bird, shown, of_table("")),
              "next_hop|10.0.0.0/8=192.0.2.2;2001:db8::/32=fe80::2;; left out 1 route of table t4");
    EXPECT_EQ(read_and_told(bird, shown, of_table("t4")),
              "next_hop|10.0.0.0/8=192.0.2.9;; left out 1 route of table master4, 1 route of table master6");
    EXPECT_EQ(rows(bird, shown.substr(0, shown.find("Table master4")), of_table("")),
              "next_hop|10.0.0.0/8=192.0.2.9;");
}

// What has other keys than networks is no route of a table here.
TEST(routing_tables, OtherTablesOfBirdAreLeftOut) {
    const std::string_view shown =
        "bird> show route table all\n"
        "Table r4:\n"
        "10.0.0.0/8-24 AS64500  [roa1 12:00:00.000] * (200)\n"
        "                       [roa2 12:00:00.000] (100)\n"
        "10.1.0.0/16-16 AS64501  [roa1 12:00:00.000] * (200)\n"
        "\n"
        "Table f4:\n"
        "flow4 { dst 10.0.0.0/8; proto 17; dport 53; }  [flow1 12:00:00.000] * (200)\n"
        "\tType: static univ\n"
        "Table v4:\n"
        "64500:1 10.0.0.0/8   unicast [vpn1 12:00:00.000] * (200)\n"
        "\tvia 192.0.2.9 on e0\n"
        "Table sadr:\n"
        "2001:db8::/32 from 2001:db8:1::/48 unicast [s6 12:00:00.000] * (200)\n"
        "\tvia fe80::9 on e0\n"
        "Table m:\n"
        "100                  unicast [mpls1 12:00:00.000] * (200)\n"
        "\tvia 192.0.2.9 on e0\n"
        "\n"
        "Table master4:\n"
        "10.0.0.0/8           unicast [s4 12:00:00.000] * (200)\n"
        "\tvia 192.0.2.2 on e0\n"
        "bird> \n";
    EXPECT_EQ(read_and_told(bird, shown, of_table("")),
              "next_hop|10.0.0.0/8=192.0.2.2;; left out 3 routes of table r4 with keys other than networks, "
              "1 route of table f4 with keys other than networks, 1 route of table v4 with keys other than "
              "networks, "
              "1 route of table sadr with keys other than networks, 1 route of table m with keys other than "
              "networks");
    EXPECT_EQ(found_format(shown), "bird");
    EXPECT_EQ(read_both(bird, shown)->ipv4.counts.left_out, 7U);
}

TEST(kernel_listing, NextHopObjectsAreNextHops) {
    const table_options hops{.values = {"next_hop", "type"}};
    const std::string expected =
        "next_hop,type|11.0.0.0/9=nhid 1,unicast;11.128.0.0/9=nhid 2,unicast;"
        "12.0.0.0/8=192.0.2.2,unicast;13.0.0.0/8=blackhole,blackhole;2001:db8::/32=nhid 3,unicast;";
    EXPECT_EQ(
        rows(
            ip_route,
            "11.0.0.0/9 nhid 1 proto static \n11.128.0.0/9 nhid 2 \n12.0.0.0/8 nhid 1 via 192.0.2.2 dev d0 \n"
            "blackhole 13.0.0.0/8 nhid 5 \n2001:db8::/32 nhid 3 metric 1024 pref medium\n",
            hops),
        expected);
    EXPECT_EQ(rows(ip_route_json,
                   R"([{"dst":"11.0.0.0/9","nhid":1,"flags":[]},{"dst":"11.128.0.0/9","nhid":2,"flags":[]},
{"dst":"12.0.0.0/8","nhid":1,"gateway":"192.0.2.2","dev":"d0","flags":[]},
{"type":"blackhole","dst":"13.0.0.0/8","nhid":5,"flags":[]},{"dst":"2001:db8::/32","nhid":3,"metric":1024,"flags":[]}])",
                   hops),
              expected);
    EXPECT_EQ(found_format("11.0.0.0/9 nhid 1 \n"), "ip-route");
}

// The kernel looks up the first of equal routes, as tests/data/shown/record_kernel recorded.
TEST(kernel_listing, TheFirstOfEqualRoutesCounts) {
    const table_options hops{.values = {"next_hop"}};
    const std::string_view gateway_later = "default dev d0 scope link \ndefault via 192.0.2.1 dev d1 \n";
    EXPECT_EQ(rows(ip_route, gateway_later, hops), "next_hop|0.0.0.0/0=d0;");
    EXPECT_EQ(rows(ip_route, "default dev d0 \ndefault via 192.0.2.1 dev d1 \n10.0.0.0/8 dev d1 \n", hops),
              "next_hop|0.0.0.0/0=d0;10.0.0.0/8=d1;");
    EXPECT_EQ(rows(ip_route, "default dev d0 \ndefault dev d1 \ndefault via 192.0.2.1 dev d2 \n", hops),
              "next_hop|0.0.0.0/0=d0;");
    EXPECT_EQ(rows(ip_route, "default dev d0 metric 9 \ndefault via 192.0.2.1 dev d1 metric 8 \n", hops),
              "next_hop|0.0.0.0/0=192.0.2.1;");
    EXPECT_EQ(read_both(ip_route, gateway_later)->ipv4.counts.not_best, 1U);
    EXPECT_EQ(rows(ip_route_json,
                   R"([{"dst":"default","dev":"d0","scope":"link","flags":[]},
{"dst":"default","gateway":"192.0.2.1","dev":"d1","flags":[]}])",
                   hops),
              "next_hop|0.0.0.0/0=d0;");
    // A scope or a source tells the family of a default route, as a gateway does.
    EXPECT_EQ(rows(ip_route,
                   "2001:db8::/32 dev d0 \ndefault dev d1 scope link \ndefault dev d2 src 192.0.2.1 \n",
                   hops),
              "next_hop|0.0.0.0/0=d1;2001:db8::/32=d0;");
    EXPECT_EQ(rows(ip_route, "10.0.0.0/8 dev d0 \ndefault dev d1 metric 1024 pref medium\n", hops),
              "next_hop|10.0.0.0/8=d0;::/0=d1;");
    // IPv6 prefers a router by its preference.
    EXPECT_EQ(rows(ip_route,
                   "2001:db8::/32 dev d0 metric 7 pref low\n2001:db8::/32 dev d1 metric 7 pref medium\n"
                   "2001:db8::/32 dev d2 metric 7 pref high\n2001:db8::/32 dev d3 metric 7 pref high\n",
                   hops),
              "next_hop|2001:db8::/32=d2;");
}

TEST(kernel_listing, RoutesForSomePacketsAreLeftOut) {
    const std::string_view listing =
        "10.2.0.0/16 tos 0x10 via 192.0.2.2 dev d0 \n"
        "10.2.0.0/16 via 192.0.2.6 dev d1 \n"
        "10.3.0.0/16 encap ip id 7 src 192.0.2.9 dst 192.0.2.10 ttl 0 tos 8 via 192.0.2.6 dev d1 \n"
        "2001:db8::/48 from 2001:db8:77::/48 via fe80::2 dev d0 metric 1024 pref medium\n"
        "2001:db8::/47 via fe80::3 dev d1 metric 1024 pref medium\n";
    EXPECT_EQ(read_and_told(ip_route, listing, of_table("")),
              "next_hop|10.2.0.0/16=192.0.2.6;10.3.0.0/16=192.0.2.6;2001:db8::/47=fe80::3;"
              "; left out 1 route for one type of service, 1 route for some sources");
    EXPECT_EQ(
        read_and_told(ip_route_json,
                      R"([{"dst":"10.2.0.0/16","tos":"0x10","gateway":"192.0.2.2","dev":"d0","flags":[]},
{"dst":"10.2.0.0/16","gateway":"192.0.2.6","dev":"d1","flags":[]},
{"dst":"2001:db8::/48","from":"2001:db8:77::/48","gateway":"fe80::2","dev":"d0","flags":[]}])",
                      of_table("")),
        "next_hop|10.2.0.0/16=192.0.2.6;; left out 1 route for one type of service, 1 route for some "
        "sources");
}

TEST(kernel_listing, NextHopsThatAreDownAreNotUsed) {
    const std::string expected = "next_hop,dev|10.4.0.0/16=192.0.2.6,d1;"
                                 "; left out 1 route over devices that are down";
    const table_options hops{.values = {"next_hop", "dev"}};
    EXPECT_EQ(read_and_told(ip_route,
                            "10.4.0.0/16 \n"
                            "\tnexthop via 192.0.2.14 dev d3 weight 1 dead linkdown \n"
                            "\tnexthop via 192.0.2.6 dev d1 weight 1 \n"
                            "10.5.0.0/16 via 192.0.2.14 dev d3 dead linkdown \n",
                            hops),
              expected);
    EXPECT_EQ(read_and_told(ip_route_json,
                            R"([{"dst":"10.4.0.0/16","flags":[],"nexthops":[
{"gateway":"192.0.2.14","dev":"d3","weight":1,"flags":["dead","linkdown"]},
{"gateway":"192.0.2.6","dev":"d1","weight":1,"flags":[]}]},
{"dst":"10.5.0.0/16","gateway":"192.0.2.14","dev":"d3","flags":["dead","linkdown"]}])",
                            hops),
              expected);
}

TEST(left_out_words, OfManyKindsTheFirstOnes) {
    std::string listing = "10.0.0.0/8 dev d0\n";
    for (int i = 1; i <= 300; ++i)
        listing += "10.0.0.0/8 dev d1 table " + std::to_string(i + 1000) + "\n";
    std::string told;
    (void)rows(ip_route, listing, {.on_left_out = [&](const std::string& words) { told = words; }});
    EXPECT_EQ(told.substr(0, 44), "1 route of table 1001, 1 route of table 1002");
    EXPECT_NE(told.find("1 route of table 1008 and 248 more"), std::string::npos) << told;
}

} // namespace
} // namespace fingerpost::io
