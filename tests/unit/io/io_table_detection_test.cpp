// Formats detected from the beginning of an input, on samples of each, and how much of the input that takes.
#include "io/format/table_format.hpp"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "io/format/image/image_start.hpp"

namespace fingerpost::io {
namespace {

using enum table_format;

std::string found(std::string_view start, const table_options& options = {}) {
    const detection whole = detect_format(start, true, options);
    EXPECT_FALSE(whole.needs_more);
    return whole.format ? std::string(name_of(*whole.format)) : whole.reason;
}

TEST(table_detection, PlainTextInItsDialects) {
    for (const std::string_view sample : {"",
                                          "\n\n",
                                          "# nothing\n",
                                          "10.0.0.0/8\n",
                                          "10.0.0.0/8 a\n",
                                          "10.0.0.0/8,a\n",
                                          "::/0 x\n",
                                          "default a\n",
                                          "prefix next_hop\n10.0.0.0/8 a\n",
                                          "prefix\n",
                                          "\"10.0.0.0/8\",\"a\"\n",
                                          "10.0.0.0/8|a\n",
                                          "10.0.0.0 255.0.0.0 a\n",
                                          "10/8 a\n",
                                          "# c\n\n  10.0.0.0/8 dev\n",
                                          "\xef\xbb\xbf"
                                          "10.0.0.0/8 a\n",
                                          "10.0.0.0/8 via # c\n",
                                          "2001:db8::/129\n",
                                          "\x9b/8\n",
                                          ",1\n"})
        EXPECT_EQ(found(sample), "text") << sample;
}

TEST(table_detection, FormatsWithNames) {
    EXPECT_EQ(found("network,asn\n10.0.0.0/8,1\n"), "csv");
    EXPECT_EQ(found("\xef\xbb\xbf\"asn\";\"CIDR\"\n"), "csv");
    EXPECT_EQ(found("start_ip,end_ip,country\n"), "csv");
    EXPECT_EQ(found("10.0.0.0/8,64500,CH\n"), "csv");
    EXPECT_EQ(found("\"16777216\",\"16777471\",\"AU\"\n"), "csv");
    EXPECT_EQ(found("1.0.0.0\t1.0.0.255\t13335\tUS\n"), "tsv");
    EXPECT_EQ(found("prefix\tname\n10.0.0.0/8\tx y\n"), "tsv");
    EXPECT_EQ(found("id,block\n1,10.0.0.0/8\n", {.network = {"block"}}), "csv");
    EXPECT_EQ(found("{\"network\":\"10.0.0.0/8\"}\n"), "json");
    EXPECT_EQ(found("\n [\n {\"cidr\":\"10.0.0.0/8\"}]\n"), "json");
    EXPECT_EQ(found("[]\n"), "json");
    EXPECT_EQ(found("[{\"dst\":\"default\",\"gateway\":\"10.0.0.1\",\"flags\":[]}]"), "ip-route-json");
    EXPECT_EQ(found("TABLE_DUMP2|1|B|192.0.2.1|1|10.0.0.0/8|1|IGP|192.0.2.1|0|0||NAG||\n"), "bgpdump");
    EXPECT_EQ(found("default via 10.0.0.1 dev eth0 \n"), "ip-route");
    EXPECT_EQ(found("10.9.0.0/16 \n\tnexthop via 10.0.0.2 dev d0 weight 1 \n"), "ip-route");
    EXPECT_EQ(found("blackhole 192.168.0.0/16 \n"), "ip-route");
    EXPECT_EQ(found("2001:db8::/64 dev d0 proto kernel metric 256 pref medium\n"), "ip-route");
    EXPECT_EQ(found(std::string_view("\x58\x9e\xd3\x20\0\x0d\0\x01\0\0\0\x10", 12)), "mrt");
    EXPECT_EQ(found(image_start), "image");
}

TEST(table_detection, OutputsOfOtherPrograms) {
    EXPECT_EQ(found("\nBGP table version is 14, local router ID is 192.0.2.1, vrf id 0\n"), "show-bgp");
    EXPECT_EQ(found("     Network          Next Hop            Metric LocPrf Weight Path\n"), "show-bgp");
    EXPECT_EQ(found("Codes: K - kernel route, C - connected, S - static, R - RIP,\n"), "show-route");
    EXPECT_EQ(found("C>* 192.0.2.0/30 is directly connected, n2a, 00:00:06\n"), "show-route");
    EXPECT_EQ(found("B   0.0.0.0/0 [20/0] via 192.0.2.2, n2a, weight 1, 00:00:01\n"), "show-route");
    EXPECT_EQ(found("BIRD 2.0.12 ready.\nTable master4:\n"), "bird");
    EXPECT_EQ(found("Table master4:\n"), "bird");
    EXPECT_EQ(found("10.0.0.0/8           unicast [s4 22:41:28.918] * (200)\n"), "bird");
    EXPECT_EQ(found("10.51.0.0/16       via 192.0.2.9 on eth0 [p1 22:41:07] * (100) [AS64501i]\n"), "bird");
    EXPECT_EQ(found("create bad hash:net family inet\n"), "ipset");
    EXPECT_EQ(found("add bad 10.0.0.0/8\n"), "ipset");
    EXPECT_EQ(found("table inet filter {\n"), "nft");
    EXPECT_EQ(found("flush ruleset\ntable inet filter { # handle 5\n"), "nft");
    EXPECT_EQ(found("2.3|arin|1700000000000|1000|19840101|20231114|-0500\n"), "delegated");
    EXPECT_EQ(found("#comment\napnic|JP|asn|173|1|20020801|allocated\n"), "delegated");
    EXPECT_EQ(found("; Spamhaus DROP List\n1.10.16.0/20 ; SBL256894\n"), "text");
    // What only looks like them.
    EXPECT_EQ(found("10.0.0.0/8 unicast\n"), "text");
    EXPECT_EQ(found("10.0.0.0/8|x|ipv4\n"), "csv");
    EXPECT_EQ(found("10.0.0.0/8 via 192.0.2.1 dev eth0\n"), "ip-route");
}

TEST(table_detection, WhatIsNoTableIsShown) {
    const std::string advice = " (name it in read_options::format)";
    EXPECT_EQ(found("hello world\n"), "not a table: no known format begins with 'hello world'" + advice);
    EXPECT_EQ(found(std::string_view("\0\0\0\0\0\0\0\0\0\0\0\0\0", 13)),
              "not a table: it has NUL bytes and is not a MaxMind DB, an MRT file or an image" + advice);
    EXPECT_EQ(found("hello\n10.0.0.0/8 a\n", {.skip_bad = 1}), "text");
    EXPECT_EQ(found("hello\nyou\n10.0.0.0/8 a\n", {.skip_bad = 1}).substr(0, 11), "not a table");
    EXPECT_EQ(found("hello\nTABLE_DUMP2|1|B\n", {.skip_bad = 5}), "bgpdump");
}

TEST(table_detection, TablesOfColumns) {
    EXPECT_EQ(found("#fields\tindicator\tsubnet\n#types\tstring\tsubnet\nx\t10.0.0.0/8\n"), "csv");
    EXPECT_EQ(found("#Fields: date net\n2024 10.0.0.0/8\n"), "csv");
    EXPECT_EQ(found("#Fields: date x\n10.0.0.0/8 a\n"), "text");
    EXPECT_EQ(found("prefix next_hop metric\n10.0.0.0/8 a 1\n"), "csv");
    EXPECT_EQ(found("prefix next_hop # why\n10.0.0.0/8 a\n"), "text");
    EXPECT_EQ(found("network netmask\n10.0.0.0 255.0.0.0\n"), "text");
    EXPECT_EQ(found("lab,10.0.0.0/8\n"), "csv");
    EXPECT_EQ(found("172.16.0.0,255.240.0.0,lab\n"), "csv");
    EXPECT_EQ(found("172.16.0.0,255.240.0.0\n"), "text");
    EXPECT_EQ(found("x,10.0.0.1\n", {.network = {"column2"}}), "csv");
}

TEST(table_detection, WhatIsNoTableButCouldBecomeOne) {
    EXPECT_EQ(
        found("id,Range Name,asn\n1,10.0.0.0/8,64500\n", {.advice = {.network = "name it with --network"}}),
        "no column with prefixes in 'id,Range Name,asn' (name it with --network)");
    EXPECT_EQ(found("id,block\n1,10.0.0.0/8\n", {.network = {"blok"}}),
              "no column 'blok'; columns: id, block");
    const std::string zip = std::string("PK\x03\x04\x14\0\0\0\x08\0", 10) + "table.csv";
    EXPECT_EQ(found(zip), "a zip archive; unpack it, and use the file with the table");
    std::string tar = "table.csv";
    tar.resize(257, '\0');
    tar += "ustar";
    tar.resize(512, '\0');
    tar += "network,asn\n10.0.0.0/8,1\n";
    EXPECT_EQ(found(tar), "a tar archive; unpack it, and use the file with the table");
    EXPECT_TRUE(detect_format(std::string_view(tar).substr(0, 100), false, {}).needs_more);
    const std::string utf16 = "text in UTF-16; convert it to UTF-8, as with iconv -f UTF-16 -t UTF-8";
    EXPECT_EQ(found(std::string_view("\xff\xfe"
                                     "1\0000\0.\0",
                                     8)),
              utf16);
    EXPECT_EQ(found(std::string_view("\xfe\xff\0"
                                     "1\0000\0.",
                                     8)),
              utf16);
    EXPECT_EQ(found(std::string_view("n\0e\0t\0,\0", 8)), utf16);
    EXPECT_EQ(found(std::string_view("\0n\0e\0t\0,", 8)), utf16);
}

// A start that shows a format shows the same one with more bytes; so chunks make no difference.
TEST(table_detection, MoreBytesDoNotChangeWhatIsKnown) {
    std::size_t decided = 0;
    for (const std::string text :
         {"# comment\n10.0.0.0/8 a\n11.0.0.0/8 b\n", "network,asn\n10.0.0.0/8,1\n",
          "10.9.0.0/16 \n\tnexthop via ::\n", "\n[ {\"dst\":\"default\",\"flags\":[]},\n{}]",
          "{\"network\":\"10.0.0.0/8\"}\n", "hello\nyou\nthere\n",
          "default via 10.0.0.1 dev eth0\n10.0.0.0/8 dev eth1 x\n"}) {
        const detection whole = detect_format(text, true, {});
        EXPECT_TRUE(detect_format({}, false, {}).needs_more);
        for (std::size_t size = 0; size <= text.size(); ++size) {
            const detection part = detect_format(std::string_view(text).substr(0, size), false, {});
            if (part.needs_more)
                continue;
            EXPECT_EQ(part.format, whole.format) << text << size;
            ++decided;
        }
    }
    EXPECT_GT(decided, 15U);
    const std::string zeros(max_detected_bytes, '\0');
    EXPECT_FALSE(detect_format(zeros, false, {}).needs_more);
    EXPECT_TRUE(detect_format(std::string_view(zeros).substr(1), false, {}).needs_more);
}

} // namespace
} // namespace fingerpost::io
