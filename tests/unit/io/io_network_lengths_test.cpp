// Networks whose length or mask stands beside them, in every format that has such tables. The prefixes are
// those that Python's ipaddress makes of `network/length` and of `network/mask`.
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/parts/network_length.hpp"
#include "tests/support/tables/table_readers.hpp"

namespace fingerpost::io {
namespace {

using enum table_format;

TEST(network_lengths, text) {
    EXPECT_EQ(rows_in_chunks(text, "198.51.100.0 /24\n203.0.113.0 /25 a\n2001:db8:: /32 b\n"),
              "next_hop|198.51.100.0/24=;203.0.113.0/25=a;2001:db8::/32=b;");
    EXPECT_EQ(
        rows_in_chunks(text, "172.16.0.0 0.15.255.255\n10.0.0.0 0.255.255.255 a\n192.0.2.0/0.0.0.255 b\n"),
        "next_hop|10.0.0.0/8=a;172.16.0.0/12=;192.0.2.0/24=b;");
    EXPECT_EQ(rows_in_chunks(text,
                             "10.0.0.0;255.0.0.0\n11.0.0.0 | 255.0.0.0 | x y |\n\"12.0.0.0\",\"255.0.0.0\"\n"
                             "13.0.0.0,/8\n14.0.0.0\t255.0.0.0\tz\n15.0.0.0;255.0.0.0;p q\n"),
              "next_hop|10.0.0.0/8=;11.0.0.0/8=x y;12.0.0.0/8=;13.0.0.0/8=;14.0.0.0/8=z;15.0.0.0/8=p q;");
    EXPECT_EQ(rows(text, "network netmask\n10.0.0.0 255.0.0.0\n"), "netmask|10.0.0.0/8=;");
    EXPECT_EQ(rows(text, "network masklen\n10.0.0.0 8\n11.0.0.0/8 \n12.0.0.0/8 8\n"),
              "masklen|10.0.0.0/8=;11.0.0.0/8=;12.0.0.0/8=8;");
    // Next hops as before.
    EXPECT_EQ(
        rows(text, "10.0.0.1 0.0.0.0\n10.0.0.2 192.0.2.1\n10.0.0.3 /x\n10.0.0.4 24\n10.0.0.0/8 255.0.0.0\n"),
        "next_hop|10.0.0.0/8=255.0.0.0;10.0.0.1/32=0.0.0.0;10.0.0.2/32=192.0.2.1;10.0.0.3/32=/x;"
        "10.0.0.4/32=24;");
}

TEST(network_lengths, wrong_ones_in_text) {
    EXPECT_EQ(rows(text, "10.0.0.0 /33\n"), "t:1: '10.0.0.0/33': prefix length 33 is longer than 32");
    EXPECT_EQ(rows(text, "2001:db8:: /129\n"), "t:1: '2001:db8::/129': prefix length 129 is longer than 128");
    EXPECT_EQ(rows(text, "10.0.0.0 255.0.255.0\n"), "t:1: '10.0.0.0/255.0.255.0': not a netmask");
    EXPECT_EQ(rows(text, "network masklen\n10.0.0.0 33\n"),
              "t:2: '33': neither a prefix length up to 32 nor a mask");
    EXPECT_EQ(rows(text, "network masklen\n10.0.0.0\n"), "t:2: '10.0.0.0': no length for this address");
    EXPECT_EQ(rows(text, "network masklen\n10.0.0.0/8 9\n"),
              "t:2: '10.0.0.0/8 9': the length in the other column differs");
}

TEST(network_lengths, csv_with_a_header) {
    EXPECT_EQ(
        rows_in_chunks(csv, "net;netmask;name\n172.16.0.0;255.240.0.0;lab\n192.0.2.0;255.255.255.0;x\n"),
        "name|172.16.0.0/12=lab;192.0.2.0/24=x;");
    EXPECT_EQ(rows_in_chunks(csv, "net;netmask\n172.16.0.0;255.240.0.0\n"), "next_hop|172.16.0.0/12=;");
    for (const std::string name : {"mask", "netmask", "mask_len", "masklen", "prefixlen", "prefix_length",
                                   "Prefix Length", "length", "bits", "cidr", "subnet-mask"})
        EXPECT_EQ(rows(csv, "network," + name + ",a\n192.0.2.0,24,x\n2001:db8::,32,y\n"),
                  "a|192.0.2.0/24=x;2001:db8::/32=y;")
            << name;
    EXPECT_EQ(rows(csv, "ip_address,subnet mask,a\n192.0.2.0,255.255.255.0,x\n"), "a|192.0.2.0/24=x;");
    EXPECT_EQ(rows(csv, "network,wildcard,a\n192.0.2.0,0.0.0.255,x\n192.0.2.9,0.0.0.0,y\n"),
              "a|192.0.2.0/24=x;192.0.2.9/32=y;");
    EXPECT_EQ(rows(csv, "network,mask,a\n192.0.2.0/24,24,x\n198.51.100.0,25,y\n203.0.113.9,,z\n"),
              "mask,a|192.0.2.0/24=24,x;198.51.100.0/25=25,y;203.0.113.9/32=,z;");
    EXPECT_EQ(rows(csv, "network,mask,a\n192.0.2.0,24,x\n10.0.0.0-10.0.0.1,,y\ndefault,0,z\n"),
              "a|0.0.0.0/0=z;10.0.0.0/31=y;192.0.2.0/24=x;");
    EXPECT_EQ(rows(csv, "network,mask,a\n", {}), "mask,a|");
    EXPECT_EQ(rows(csv, "block,mask,a\n192.0.2.0,24,x\n", {.network = {"block"}}), "a|192.0.2.0/24=x;");
    EXPECT_EQ(rows(csv, "block,size,a\n192.0.2.0,24,x\n", {.network = {"block", "size"}}),
              "a|192.0.2.0/24=x;");
    EXPECT_EQ(rows(csv, "block,mask,a\n192.0.2.0,24,x\n", {.values = {"mask", "a"}}).substr(0, 4), "t:1:");
    EXPECT_EQ(rows(csv, "net,mask,a\n192.0.2.0,24,x\n", {.values = {"mask", "a"}}),
              "mask,a|192.0.2.0/24=24,x;");
}

// A column with a vague name has lengths only if the networks need them and the first row has one there.
TEST(network_lengths, columns_that_only_may_have_lengths) {
    EXPECT_EQ(rows(csv, "network,length\n192.0.2.0/24,7\n"), "length|192.0.2.0/24=7;");
    EXPECT_EQ(rows(csv, "network,length\n192.0.2.1,1500\n192.0.2.2,20\n"),
              "length|192.0.2.1/32=1500;192.0.2.2/32=20;");
    EXPECT_EQ(rows(csv, "network,length\n192.0.2.0,24\n192.0.2.2,1500\n"),
              "t:3: '1500': neither a prefix length up to 32 nor a mask; length has lengths in the first row "
              "(name one in table_options::network)");
    EXPECT_EQ(rows(csv, "network,length\n192.0.2.0,24\n192.0.2.2,1500\n", {.network = {"network"}}),
              "length|192.0.2.0/32=24;192.0.2.2/32=1500;");
}

TEST(network_lengths, the_column_that_has_a_length) {
    EXPECT_EQ(rows(csv, "network,cidr,a\n192.0.2.0,192.0.2.0/24,x\n"), "network,a|192.0.2.0/24=192.0.2.0,x;");
    EXPECT_EQ(rows(csv, "network,cidr,a\n192.0.2.0/24,192.0.2.0,x\n"), "cidr,a|192.0.2.0/24=192.0.2.0,x;");
    EXPECT_EQ(rows(csv, "network,cidr,a\n192.0.2.0/24,192.0.2.0/25,x\n"),
              "cidr,a|192.0.2.0/24=192.0.2.0/25,x;");
    EXPECT_EQ(rows(json, R"({"network":"192.0.2.0","cidr":"192.0.2.0/24","a":"x"})"),
              "network,a|192.0.2.0/24=192.0.2.0,x;");
}

TEST(network_lengths, wrong_ones_in_csv) {
    const std::string head = "network,masklen\n192.0.2.0,24\n";
    EXPECT_EQ(rows(csv, head + "10.0.0.0,\n"), "t:3: '10.0.0.0': no length for this address");
    EXPECT_EQ(rows(csv, head + "10.0.0.0,33\n"), "t:3: '33': neither a prefix length up to 32 nor a mask");
    EXPECT_EQ(rows(csv, head + "::,129\n"), "t:3: '129': neither a prefix length up to 128 nor a mask");
    EXPECT_EQ(rows(csv, head + "10.0.0.0,255.0.255.0\n"),
              "t:3: '255.0.255.0': neither a prefix length up to 32 nor a mask");
    EXPECT_EQ(rows(csv, head + "10.0.0.0/8,9\n"),
              "t:3: '10.0.0.0/8 9': the length in the other column differs");
    EXPECT_EQ(rows(csv, head + "10.0.0.0/8,x\n"), "t:3: 'x': not a prefix length");
    EXPECT_EQ(rows(csv, head + "10.0.0.0-10.0.0.9,24\n"),
              "t:3: '10.0.0.0-10.0.0.9 24': a length next to a range, which is not one network");
    EXPECT_EQ(rows(csv, head + "10.0.0.1,0.0.0.0\n"),
              "t:3: '10.0.0.1 0.0.0.0': this mask clears all bits of the address");
    EXPECT_EQ(rows(csv, "network,masklen\n10.0.0.0/8,255.255.0.0\n"),
              "t:2: '10.0.0.0/8 255.255.0.0': the length in the other column differs");
    EXPECT_EQ(rows(csv, head + "x\n10.0.0.0,99\n11.0.0.0,8\n", {.skip_bad = 2}),
              "next_hop|11.0.0.0/8=;192.0.2.0/24=;");
    const auto cleared = read_both(csv, head + "10.1.2.3,8\n");
    ASSERT_TRUE(cleared);
    EXPECT_EQ(cleared->ipv4.counts.masked, 1U);
}

TEST(network_lengths, csv_without_a_header) {
    const std::string_view masks = "172.16.0.0,255.240.0.0,lab\n192.0.2.0,255.255.255.0,x\n";
    EXPECT_EQ(rows_in_chunks(csv, masks), "column3|172.16.0.0/12=lab;192.0.2.0/24=x;");
    EXPECT_EQ(rows_in_chunks(csv, "198.51.100.0,24,lab\n2001:db8::,32,x\n"),
              "column3|198.51.100.0/24=lab;2001:db8::/32=x;");
    EXPECT_EQ(rows(csv, "198.51.100.0,/24\n"), "next_hop|198.51.100.0/24=;");
    EXPECT_EQ(rows(csv, "172.16.0.0,0.15.255.255,lab\n"), "column3|172.16.0.0/12=lab;");
    EXPECT_EQ(rows(tsv, "172.16.0.0\t255.240.0.0\tlab\n"), "column3|172.16.0.0/12=lab;");
    EXPECT_EQ(rows(csv, "2001:db8::,ffff:ffff::,lab\n"), "column3|2001:db8::/32=lab;");
    EXPECT_EQ(rows(csv, "192.0.2.1,255.255.255.255,lab\n10.0.0.0,255.0.0.0,x\n"),
              "column3|10.0.0.0/8=x;192.0.2.1/32=lab;");
    // Ranges stay ranges, also those whose ends are masks as well.
    EXPECT_EQ(rows(csv, "224.0.0.0,255.255.255.255,x\n"), "column3|224.0.0.0/3=x;");
    EXPECT_EQ(rows(csv, "0.0.0.0,255.255.255.255,x\n"), "column3|0.0.0.0/0=x;");
    EXPECT_EQ(rows(csv, "1.0.0.0,1.255.255.255,x\n0.0.0.0,0.255.255.255,y\n"),
              "column3|0.0.0.0/8=y;1.0.0.0/8=x;");
    EXPECT_EQ(
        rows(csv, "1.0.0.0,1.0.0.255,x\n172.16.0.0,255.240.0.0,lab\n"),
        "t:2: '172.16.0.0,255.240.0.0,lab': a mask, but the first row has the last address of a range "
        "(name one in table_options::network)");
    EXPECT_EQ(
        rows(csv, "172.16.0.0,255.240.0.0,lab\n1.0.0.0,1.0.0.255,x\n"),
        "t:2: '1.0.0.255': neither a prefix length up to 32 nor a mask; column2 has lengths in the first "
        "row (name one in table_options::network)");
    // A second column of other numbers.
    EXPECT_EQ(rows(csv, "192.0.2.1,64500,lab\n192.0.2.2,13,x\n"),
              "column2,column3|192.0.2.1/32=64500,lab;192.0.2.2/32=13,x;");
    EXPECT_EQ(rows(csv, "192.0.2.0/24,13,lab\n"), "column2,column3|192.0.2.0/24=13,lab;");
    EXPECT_EQ(rows(csv, "192.0.2.1,13,lab\n192.0.2.2,64500,x\n", {.network = {"column1"}}),
              "column2,column3|192.0.2.1/32=13,lab;192.0.2.2/32=64500,x;");
}

TEST(network_lengths, json) {
    EXPECT_EQ(
        rows_in_chunks(json, R"({"network":"192.0.2.0","masklen":24}{"network":"2001:db8::","masklen":32})"),
        "next_hop|192.0.2.0/24=;2001:db8::/32=;");
    EXPECT_EQ(rows(json, R"([{"net":"192.0.2.0","netmask":"255.255.255.0","a":1}])"), "a|192.0.2.0/24=1;");
    EXPECT_EQ(rows(json, R"({"network":"192.0.2.0/24","masklen":25})"),
              "t:1: '192.0.2.0/24 25': the length in the other column differs");
    EXPECT_EQ(rows(json, R"({"network":"192.0.2.0","masklen":24}{"network":"10.0.0.0"})"),
              "t:1: '10.0.0.0': no length for this address");
    EXPECT_EQ(rows(json, R"({"network":"192.0.2.0","masklen":24}{"network":"10.0.0.0","masklen":33})"),
              "t:1: '33': neither a prefix length up to 32 nor a mask");
    // A length may come first in a later object.
    EXPECT_EQ(rows(json, R"({"network":"192.0.2.1"}{"network":"10.0.0.0","masklen":8})"),
              "next_hop,masklen|10.0.0.0/8=,8;192.0.2.1/32=,;");
}

TEST(network_lengths, several_networks_on_a_line_are_not_values) {
    const std::string reason =
        ": several networks on one line; write one per line, or name the columns in a header";
    EXPECT_EQ(rows(csv, "192.0.2.0/24,198.51.100.0/24,203.0.113.0/24\n"),
              "t:1: '192.0.2.0/24,198.51.100.0/24,203.0.113.0/24'" + reason);
    EXPECT_EQ(rows(text, "192.0.2.0/24,198.51.100.0/24\n"), "t:1: '192.0.2.0/24,198.51.100.0/24'" + reason);
    EXPECT_EQ(rows(text, "192.0.2.0/24;2001:db8::/32\n"), "t:1: '192.0.2.0/24;2001:db8::/32'" + reason);
    EXPECT_EQ(rows(text, "192.0.2.0/24,eth0/1\n198.51.100.0/24 10.0.0.0/8\n"),
              "next_hop|192.0.2.0/24=eth0/1;198.51.100.0/24=10.0.0.0/8;");
}

TEST(network_lengths, a_table_of_hosts_beside_lengths_is_reported) {
    const auto told = [](table_format format, std::string_view text) {
        const auto tables = read_both(format, text);
        return tables ? tables->ipv4.counts.unused_lengths : message(tables.error());
    };
    EXPECT_EQ(told(text, "198.51.100.0 24\n192.0.2.1 32\n"), "next_hop");
    EXPECT_EQ(told(csv, "network,a,size\n198.51.100.0,,24\n2001:db8::,,32\n"), "size");
    // Hosts, with numbers or not.
    EXPECT_EQ(told(text, "198.51.100.1 24\n192.0.2.1 32\n"), "");
    EXPECT_EQ(told(text, "192.0.2.1 32\n"), "");
    EXPECT_EQ(told(text, "198.51.100.0 24\n192.0.2.0/24 24\n"), "");
    EXPECT_EQ(told(text, "198.51.100.0 24\n192.0.2.0 x\n"), "");
    EXPECT_EQ(told(text, ""), "");
}

TEST(network_lengths, all_masks_of_both_kinds) {
    for (unsigned length = 0; length <= 32; ++length) {
        const ipv4_address mask{network_mask<ipv4_address>(length)};
        const ipv4_address wildcard{~mask.value};
        EXPECT_EQ(netmask_length(mask), length);
        EXPECT_EQ(wildcard_length(wildcard), length);
        EXPECT_EQ(length_beside("10.0.0.0", to_string(mask)), length);
        // All zeros and all ones are masks.
        EXPECT_EQ(length_beside("10.0.0.0", to_string(wildcard)), length % 32 == 0 ? 32 - length : length);
        EXPECT_EQ(length_beside("10.0.0.0", std::to_string(length)), length);
    }
    for (const std::string_view text :
         {"", "/", "08", "33", "-1", "+1", "1.", "255.0.0.1", "24 ", "a", "1.2.3"})
        EXPECT_FALSE(length_beside("10.0.0.0", text)) << text;
}

} // namespace
} // namespace fingerpost::io
