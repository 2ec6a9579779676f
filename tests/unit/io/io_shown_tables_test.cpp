// Readers of what routers print: FRR, Quagga and Cisco IOS, and BIRD. The samples are outputs of the
// programs, cut down; whole outputs are compared with the JSON of the same tables in
// tests/e2e/tables/shown_tables_test.py.
#include "tests/support/tables/table_readers.hpp"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace fingerpost::io {
namespace {

using enum table_format;

constexpr std::string_view bgp_head =
    "BGP table version is 14, local router ID is 192.0.2.1, vrf id 0\n"
    "Status codes:  s suppressed, d damped, h history, * valid, > best, = multipath,\n\n"
    "   Network          Next Hop            Metric LocPrf Weight Path\n";

std::string bgp(std::string_view lines) {
    return std::string(bgp_head).append(lines);
}

TEST(show_bgp_table, TheBestPathOfANetworkCounts) {
    const std::string table =
        bgp("*> 0.0.0.0/0        192.0.2.2                0             0 64501 i\n"
            "*  10.0.0.0/8       192.0.2.2                0             0 64501 i\n"
            "*>i                 192.0.2.6                0    100      0 65001 64502 ?\n"
            "*> 198.51.100.0/24  0.0.0.0                  0         32768 i\n"
            "\nDisplayed  3 routes and 4 total paths\n");
    EXPECT_EQ(rows(show_bgp, table),
              "next_hop,origin_as|0.0.0.0/0=192.0.2.2,64501;10.0.0.0/8=192.0.2.6,64502;"
              "198.51.100.0/24=0.0.0.0,;");
    EXPECT_EQ(rows(show_bgp, table, {.values = {"path", "local_pref", "med", "weight"}}),
              "path,local_pref,med,weight|0.0.0.0/0=64501,,0,0;10.0.0.0/8=65001 64502,100,0,0;"
              "198.51.100.0/24=,,0,32768;");
    const auto read = read_both(show_bgp, table);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->ipv4.counts.not_best, 1U);
}

TEST(show_bgp_table, LongFieldsEndTheirLine) {
    EXPECT_EQ(rows(show_bgp,
                   bgp("*>i2001:db8:100::/48\n"
                       "                    2001:db8:ffff:2::2\n"
                       "                                             0    100      0 i\n"
                       "*                   2001:db8:ffff:1::2\n"
                       "                                             0             0 64501 i\n"
                       "*> 2001:db8::/32    ::                       0         32768 i\n"
                       "*>i2001:db8:52::/48 2001:db8:ffff:1::2\n"
                       "                                                  100      0 64510 i\n"),
                   {.values = {"next_hop", "local_pref", "path"}}),
              "next_hop,local_pref,path|2001:db8::/32=::,,;2001:db8:52::/48=2001:db8:ffff:1::2,100,64510;"
              "2001:db8:100::/48=2001:db8:ffff:2::2,100,;");
}

TEST(show_bgp_table, NumbersMayTouch) {
    EXPECT_EQ(rows(show_bgp,
                   bgp("*>i11.0.0.0/8       192.0.2.6       42949672954294967295      0 65551 4200000001 i\n"
                       "*> 12.0.0.0/8       192.0.2.6       4294967295             0 1 i\n"),
                   {.values = {"med", "local_pref", "weight", "origin_as"}}),
              "med,local_pref,weight,origin_as|11.0.0.0/8=4294967295,4294967295,0,4200000001;"
              "12.0.0.0/8=4294967295,,0,1;");
}

TEST(show_bgp_table, OldNetworksHaveTheLengthOfTheirClass) {
    // The columns of Cisco IOS begin further right.
    EXPECT_EQ(rows(show_bgp,
                   "     Network          Next Hop            Metric LocPrf Weight Path\n"
                   " *>  0.0.0.0          10.0.0.9                 0             0 1 i\n"
                   " *>i 10.0.0.0         10.0.0.9                 0    100      0 2 i\n"
                   " r>i 130.1.0.0        10.0.0.9                 0    100      0 (65001 65002) 3 e\n"
                   " *>  193.1.2.0        10.0.0.9                               0 4 {5,6} ?\n"),
              "next_hop,origin_as|0.0.0.0/0=10.0.0.9,1;10.0.0.0/8=10.0.0.9,2;130.1.0.0/16=10.0.0.9,3;"
              "193.1.2.0/24=10.0.0.9,{5,6};");
    EXPECT_EQ(rows(show_bgp, bgp("*> 224.0.0.0        10.0.0.9                 0             0 1 i\n")),
              "t:5: '224.0.0.0': a network without a length whose class has none");
}

// Rows of Cisco IOS are not where the header line has its columns. The shapes are those of public outputs.
TEST(show_bgp_table, RowsBesideTheHeader) {
    const table_options all{.values = {"next_hop", "path", "local_pref", "med", "weight"}};
    const std::string_view six_columns =
        "     Network          Next Hop            Metric LocPrf Weight Path\n";
    const auto ios = [&](std::string_view lines) { return std::string(six_columns).append(lines); };
    const std::string expected =
        "next_hop,path,local_pref,med,weight|10.1.0.0/16=192.0.2.1,64501,100,20,0;"
        "10.2.0.0/16=192.0.2.2,64502 64503,,,32768;10.3.192.192/28=192.0.2.3,,100,0,40000;"
        "10.4.0.0/24=192.0.2.4,64504,350,4000000000,0;";
    // The status in six columns, one more blank than the header line has.
    EXPECT_EQ(rows(show_bgp,
                   ios(" *>i  10.1.0.0/16      192.0.2.1               20    100      0 64501 i\n"
                       " *>   10.2.0.0/16      192.0.2.2                          32768 64502 64503 i\n"
                       " *>ia 10.3.192.192/28  192.0.2.3                0    100  40000 i\n"
                       " *mi                   192.0.2.9                0    100      0 i\n"
                       " *>   10.4.0.0/24      192.0.2.4       4000000000    350      0 64504 ?\n"),
                   all),
              expected);
    // Next hops that were wrapped stand one place further right.
    EXPECT_EQ(rows(show_bgp,
                   ios(" *>i 10.1.0.0/16      192.0.2.1               20    100      0 64501 i\n"
                       " *>  10.2.0.0/16      192.0.2.2                          32768 64502 64503 i\n"
                       " * i 10.3.192.192/28\n"
                       "                       192.0.2.9               20    100  50000 i\n"
                       " *>i                  192.0.2.3                0    100  40000 i\n"
                       " *>  10.4.0.0/24      192.0.2.4       4000000000    350      0 64504 ?\n"),
                   all),
              expected);
    // Rows two places left of the header line.
    EXPECT_EQ(rows(show_bgp,
                   ios("*>i10.1.0.0/16      192.0.2.1               20    100      0 64501 i\n"
                       "*> 10.2.0.0/16      192.0.2.2                          32768 64502 64503 i\n"
                       "* i10.3.192.192/28\n"
                       "                    192.0.2.9               20    100  50000 i\n"
                       "*>i                 192.0.2.3                0    100  40000 i\n"
                       "*> 10.4.0.0/24      192.0.2.4       4000000000    350      0 64504 ?\n"),
                   all),
              expected);
    // As Packet Tracer writes them, with columns of other widths.
    EXPECT_EQ(rows(show_bgp,
                   "   Network          Next Hop            Metric LocPrf Weight Path\n"
                   "*> 192.168.1.0/24    0.0.0.0                  0     0 32768 i\n"
                   "*> 192.168.3.0/24    10.0.0.2                 0     0     0 200 i\n",
                   all),
              "next_hop,path,local_pref,med,weight|192.168.1.0/24=0.0.0.0,,0,0,32768;192.168.3.0/"
              "24=10.0.0.2,200,0,0,0;");
    // A header line that has lost its blanks says nothing of the columns.
    EXPECT_NE(rows(show_bgp,
                   "Network Next Hop Metric LocPrf Weight Path\n*> 55.0.0.0/24 172.16.0.2 0 200 400 500 i\n")
                  .find("the columns do not match the header line with Network and Next Hop"),
              std::string::npos);
}

// A network without a status is not valid, and so not the best: other paths of it may be.
TEST(show_bgp_table, NetworksWithoutAStatus) {
    const std::string table = bgp("   10.0.0.0/8       192.0.2.2                0             0 64501 i\n"
                                  "*>                  192.0.2.6                0             0 64502 i\n"
                                  "                    192.0.2.7                0             0 64503 i\n"
                                  "   11.0.0.0/8       192.0.2.2                0             0 64501 i\n"
                                  "   2001:db8:1000::/48\n"
                                  "                    2001:db8::1\n"
                                  "                                             0             0 64501 i\n"
                                  "*>                  2001:db8::2              0             0 64502 i\n"
                                  "*> 12.0.0.0         192.0.2.2                0             0 64504 i\n");
    EXPECT_EQ(rows(show_bgp, table),
              "next_hop,origin_as|10.0.0.0/8=192.0.2.6,64502;12.0.0.0/8=192.0.2.2,64504;"
              "2001:db8:1000::/48=2001:db8::2,64502;");
    EXPECT_EQ(read_both(show_bgp, table)->ipv4.counts.not_best, 4U);
}

// The letters of a status touch the network, and IPv6 networks begin with letters too.
TEST(show_bgp_table, LettersInFrontOfTheNetwork) {
    EXPECT_EQ(rows(show_bgp, bgp("*>ifd00:1::/48      fe80::1                  0    100      0 1 i\n"
                                 "*> fd00:2::/48      fe80::1                  0             0 2 i\n"
                                 "*>efc00::/7         swp1                     0             0 3 e\n"
                                 "*bife00::/9         fe80::1                  0             0 4 i\n"
                                 "*>                  spine                    0             0 5 i\n"
                                 "*> 10.0.0.0/8       192.0.2.1@5<             0             0 6 i\n")),
              "next_hop,origin_as|10.0.0.0/8=192.0.2.1,6;fc00::/7=swp1,3;fd00:1::/48=fe80::1,1;"
              "fd00:2::/48=fe80::1,2;fe00::/9=spine,5;");
}

TEST(show_bgp_table, LinesOfTheTerminal) {
    const std::string row = "*> 10.0.0.0/8       192.0.2.2                0             0 64501 i\n";
    const std::string expected = "next_hop,origin_as|10.0.0.0/8=192.0.2.2,64501;";
    for (const std::string_view prompt :
         {"router#show ip bgp\n", "R1>sh ip bgp\n", "edge-1(config)# do show bgp ipv4 unicast\n",
          "RP/0/RSP0/CPU0:r1#show bgp ipv4 unicast\n", "\n \n"}) {
        const std::string input = std::string(prompt) + bgp(row) + "router#\n";
        EXPECT_EQ(rows(show_bgp, input), expected) << prompt;
        EXPECT_EQ(found_format(input), "show-bgp") << prompt;
    }
    // Everything one place further right, as in a text that was indented.
    std::string indented = "\n";
    for (const char c : bgp(row))
        indented += c == '\n' ? std::string("\n ") : std::string(1, c);
    EXPECT_EQ(rows(show_bgp, " " + indented), expected);
    EXPECT_EQ(found_format(" " + indented), "show-bgp");
    EXPECT_EQ(
        rows(show_bgp, bgp(row) + "R1#show ip bgp\n" +
                           bgp("*> 11.0.0.0         192.0.2.2                0             0 64501 i\n")),
        "next_hop,origin_as|10.0.0.0/8=192.0.2.2,64501;11.0.0.0/8=192.0.2.2,64501;");
}

TEST(show_bgp_table, WrongLines) {
    EXPECT_EQ(
        rows(show_bgp, "*> 10.0.0.0/8       192.0.2.2                0             0 64501 i\n"),
        "t:1: '*> 10.0.0.0/8       192.0.2.2                0             0 64501 i': a route without a "
        "line above it that has Network, Next Hop and Path");
    EXPECT_EQ(
        rows(show_bgp, bgp("*>                  192.0.2.2                0             0 64501 i\n")),
        "t:5: '*>                  192.0.2.2                0             0 64501 i': no network in this "
        "line or above it");
    EXPECT_EQ(
        rows(show_bgp, bgp("*> 10.0.0.0/8       192.0.2.2                0             0 64501\n")),
        "t:5: '*> 10.0.0.0/8       192.0.2.2                0             0 64501': the path does not end "
        "with i, e or ?");
    EXPECT_EQ(
        rows(show_bgp, bgp("*> 10.0.0.0/8       192.0.2.2         x      0             0 64501 i\n")),
        "t:5: '*> 10.0.0.0/8       192.0.2.2         x      0             0 64501 i': the columns are not "
        "where the line with Network and Next Hop has them");
    EXPECT_EQ(rows(show_bgp, bgp("*> 2001:db8:100::/48\n                    2001:db8::1\n")),
              "t:5: '*> 2001:db8:100::/48': the route has no next hop or no path");
    EXPECT_EQ(rows(show_bgp, bgp(" --More-- \n")),
              "t:5: ' --More-- ': not a route of show ip bgp, which begins with its status, such as *>");
    EXPECT_EQ(rows(show_bgp, bgp("*> 10.0.0.0/40      192.0.2.2                0             0 64501 i\n")),
              "t:5: '10.0.0.0/40': prefix length 40 is longer than 32");
    // The further lines of a wrong route are no faults of their own.
    EXPECT_EQ(rows(show_bgp,
                   bgp("?? 2001:db8:100::/48\n                    2001:db8::1\n"
                       "*> 2001:db8::/32    ::                       0         32768 i\n"),
                   {.skip_bad = 2}),
              "next_hop,origin_as|2001:db8::/32=::,;");
    EXPECT_EQ(rows(show_bgp, bgp(""), {.values = {"asn"}}),
              "t: no column 'asn'; columns: next_hop, origin_as, path, local_pref, med, weight");
}

constexpr std::string_view routes_of_frr =
    "Codes: K - kernel route, C - connected, S - static, R - RIP,\n"
    "       > - selected route, * - FIB route, q - queued, r - rejected, b - backup\n"
    "\n"
    "B   0.0.0.0/0 [20/0] via 192.0.2.2, n2a, weight 1, 00:00:01\n"
    "S>* 0.0.0.0/0 [1/0] via 192.0.2.2, n2a, weight 1, 00:00:05\n"
    "B>* 10.0.0.0/8 [200/4294967295] via 192.0.2.6, n2c, weight 1, 00:00:01\n"
    "S>* 10.200.0.0/16 [1/0] unreachable (blackhole), weight 1, 00:00:06\n"
    "S>* 10.202.0.0/16 [1/0] unreachable (ICMP unreachable), weight 1, 00:00:06\n"
    "S>* 10.203.0.0/16 [1/0] via 192.0.2.2, n2a, weight 1, 00:00:05\n"
    "  *                     via 192.0.2.6, n2c, weight 1, 00:00:05\n"
    "S>  10.206.0.0/16 [1/0] via 130.0.0.9 (recursive), weight 1, 00:00:10\n"
    "  *                       via 192.0.2.2, n2a, weight 1, 00:00:10\n"
    "S   172.16.0.0/12 [250/0] via 192.0.2.6, n2c, weight 1, 00:00:06\n"
    "                          via 192.0.2.7, n2c, weight 1, 00:00:06\n"
    "C>* 192.0.2.0/30 is directly connected, n2a, 00:00:06\n"
    "O[7]>* 192.0.2.64/30 [110/20] is directly connected, n2d, 1d02h03m\n"
    "S>* 2001:db8:201::/48 [1/0] via fe80::1, n2a, weight 1, 00:00:05\n";

TEST(show_route_table, SelectedRoutesCount) {
    EXPECT_EQ(rows(show_route, routes_of_frr),
              "next_hop,dev,protocol,distance,metric|0.0.0.0/0=192.0.2.2,n2a,static,1,0;"
              "10.0.0.0/8=192.0.2.6,n2c,bgp,200,4294967295;10.200.0.0/16=blackhole,,static,1,0;"
              "10.202.0.0/16=unreachable,,static,1,0;10.203.0.0/16=192.0.2.2,192.0.2.6,n2a,n2c,static,1,0;"
              "10.206.0.0/16=192.0.2.2,n2a,static,1,0;192.0.2.0/30=n2a,n2a,connected,,;"
              "192.0.2.64/30=n2d,n2d,ospf,110,20;2001:db8:201::/48=fe80::1,n2a,static,1,0;");
    const auto read = read_both(show_route, routes_of_frr);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->ipv4.counts.not_best, 2U);
}

TEST(show_route_table, WrongLines) {
    EXPECT_EQ(
        rows(show_route, "S>* 10.0.0.0/8 [1/0] by 192.0.2.2, n2a\n"),
        "t:1: 'S>* 10.0.0.0/8 [1/0] by 192.0.2.2, n2a': no next hop, which is via, is directly connected, or "
        "unreachable");
    EXPECT_EQ(rows(show_route, "  *    via 192.0.2.6, n2c\n"),
              "t:1: '  *    via 192.0.2.6, n2c': a next hop, but no route precedes it");
    EXPECT_EQ(
        rows(show_route, "10.0.0.0/8 via 192.0.2.6\n"),
        "t:1: '10.0.0.0/8 via 192.0.2.6': no route of show ip route, which begins with a letter, two marks "
        "and a prefix");
    EXPECT_EQ(rows(show_route, "S>* 10.0.0.0/33 [1/0] via 192.0.2.2, n2a\n"),
              "t:1: '10.0.0.0/33': prefix length 33 is longer than 32");
    EXPECT_EQ(rows(show_route, "S>* 10.0.0.0/8 [1 via 192.0.2.2\nS>* 11.0.0.0/8 [1/0] via 192.0.2.2, n2a\n",
                   {.skip_bad = 1}),
              "next_hop,dev,protocol,distance,metric|11.0.0.0/8=192.0.2.2,n2a,static,1,0;");
}

TEST(bird_table, RoutesOfVersions2And1) {
    EXPECT_EQ(rows(bird,
                   "BIRD 2.0.12 ready.\nTable master4:\n"
                   "10.0.0.0/8           unicast [s4 22:41:28.918] * (200)\n"
                   "\tvia 192.0.2.9 on n2f\n\tType: static univ\n"
                   "                     unicast [frr4 22:41:07.271] (100) [AS64500i]\n"
                   "\tvia 192.0.2.7 on n2f\n"
                   "10.55.0.0/16         unicast [s4 22:41:28.918] ! (200)\n"
                   "\tdev n2f\n\tvia 192.0.2.9 on n2g weight 2\n"
                   "10.52.0.0/16         prohibited [s4 22:41:01.269] * (200)\n\n"
                   "Table master6:\n"
                   "2001:db8:100::/96 unicast [frr6 22:41:06.510 from fe80::1] * (100/?) [AS4200000001?]\n"
                   "\tvia 2001:db8:ffff:3::1 on n2f\n"),
              "next_hop,origin_as,dev,protocol|10.0.0.0/8=192.0.2.9,,n2f,s4;10.52.0.0/16=prohibit,,,s4;"
              "10.55.0.0/16=192.0.2.9,,n2f,n2g,s4;2001:db8:100::/96=2001:db8:ffff:3::1,4200000001,n2f,frr6;");
    EXPECT_EQ(
        rows(bird, "BIRD 1.6.8 ready.\n"
                   "10.51.0.0/16       via 192.0.2.9 on eth0 [p1 22:41:07] * (100) [AS64501i]\n"
                   "                   via 192.0.2.7 on eth0 [p2 22:41:07] (100) [AS64502i]\n"
                   "10.52.0.0/16       blackhole [s1 22:41:07] * (200)\n"
                   "10.53.0.0/16       dev eth1 [direct1 22:41:07] * (240)\n"
                   "10.54.0.0/16       multipath [s1 22:41:07] * (200)\n"
                   "\tvia 192.0.2.9 on eth0 weight 1\n\tvia 192.0.2.7 on eth1 weight 2\n"),
        "next_hop,origin_as,dev,protocol|10.51.0.0/16=192.0.2.9,64501,eth0,p1;10.52.0.0/16=blackhole,,,s1;"
        "10.53.0.0/16=eth1,,eth1,direct1;10.54.0.0/16=192.0.2.9,192.0.2.7,,eth0,eth1,s1;");
}

TEST(bird_table, AttributesAreColumns) {
    const table_options all{.values = {"path", "local_pref", "med", "table"}};
    for (const std::string_view names : {"\tBGP.origin: IGP\n\tBGP.as_path: 64500 64501\n\tBGP.med: 5\n"
                                         "\tBGP.local_pref: 100\n\tBGP.community: (1,2) (3,4)\n",
                                         "\tbgp_path: 64500 64501\n\tbgp_med: 5\n\tbgp_local_pref: 100\n"})
        EXPECT_EQ(rows(bird,
                       std::string("Table master4:\n10.0.0.0/8 unicast [f4 22:41] * (100) [AS64501i]\n"
                                   "\tvia 192.0.2.9 on n2f\n")
                           .append(names),
                       all),
                  "path,local_pref,med,table|10.0.0.0/8=64500 64501,100,5,master4;");
}

TEST(bird_table, WrongLines) {
    EXPECT_EQ(rows(bird, "10.0.0.0/8 unicast s4\n"), "t:1: '10.0.0.0/8 unicast s4': no route of birdc show "
                                                     "route, such as 10.0.0.0/8 unicast [name time] * "
                                                     "(100)");
    EXPECT_EQ(rows(bird, "Table a:\n           unicast [s4 22:41] * (200)\n"),
              "t:2: '           unicast [s4 22:41] * (200)': no prefix on this line or above it");
    EXPECT_EQ(rows(bird, "\tvia 192.0.2.1 on e\n"),
              "t:1: '\\x09via 192.0.2.1 on e': this line continues a route, but no route precedes it");
    EXPECT_EQ(rows(bird, "10.0.0.0/8-24 unicast [s4 22:41] * (200)\n").substr(0, 6), "t:1: '");
    EXPECT_EQ(rows(bird,
                   "x\n\tvia 192.0.2.1 on e\n10.0.0.0/8 unicast [s4 22:41] * (200)\n\tvia 192.0.2.1 on e\n",
                   {.skip_bad = 1}),
              "next_hop,origin_as,dev,protocol|10.0.0.0/8=192.0.2.1,,e,s4;");
}

// A cut output is refused or has fewer routes; the size of chunks makes no difference.
TEST(shown_tables, ChunksMakeNoDifference) {
    const std::string bgp_table = bgp("*>i2001:db8:100::/48\n                    2001:db8:ffff:2::2\n"
                                      "                                             0    100      0 i\n");
    for (const auto& [format, text] :
         {std::pair{show_bgp, std::string_view(bgp_table)}, std::pair{show_route, routes_of_frr}}) {
        const std::string whole = rows(format, text);
        EXPECT_NE(whole.find('='), std::string::npos) << whole;
        for (const std::size_t chunk : {1U, 7U, 64U})
            EXPECT_EQ(listed_rows(read_both(format, text, {}, chunk)), whole);
    }
}

} // namespace
} // namespace fingerpost::io
