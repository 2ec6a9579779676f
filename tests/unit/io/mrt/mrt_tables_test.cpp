// Tables in MRT files: TABLE_DUMP and TABLE_DUMP_V2, each field, and each kind of damage.
#include <gtest/gtest.h>
#include <string>

#include "tests/support/mrt_listing.hpp"
#include "tests/support/mrt_writer.hpp"

namespace fingerpost::testing::of_mrt_tables {
namespace {

using io::mrt::skipped;

enum subtype : unsigned {
    peers = 1,
    v4 = 2,
    v4_multicast = 3,
    v6 = 4,
    v6_multicast = 5,
    generic = 6,
    geo = 7
};
constexpr unsigned with_ids = 6; // from v4 to the same with ADD-PATH
enum type : unsigned { table_dump_type = 12, v2_type = 13 };

const octets usual = as_path(4, {65'001, 65'550}) + next_hop_attribute("192.0.2.9");

octets two_peers() {
    return record(1, v2_type, peers, peer_index({{"192.0.2.1", 65'536}, {"2001:db8::1", 65'002, 2}}));
}
octets in_v2(unsigned subtype, const octets& body) {
    return record(10, v2_type, subtype, body);
}
std::string listed(const octets& stream) {
    return list_mrt(stream.view()).text;
}
// The reason of the damage in the one record after the peers.
std::string fault_of(unsigned subtype, const octets& body) {
    const octets head = two_peers();
    const auto all = list_mrt((head + in_v2(subtype, body)).view());
    EXPECT_EQ(all.decoder.counted().damaged, 1u);
    EXPECT_EQ(all.decoder.counted().entries, 0u) << all.text;
    EXPECT_EQ(all.decoder.counted().damaged_bytes, 12 + body.size());
    const std::string before =
        "! " + std::to_string(head.size()) + "+" + std::to_string(12 + body.size()) + " ";
    EXPECT_TRUE(all.text.starts_with(before)) << all.text;
    return all.text.substr(before.size(), all.text.size() - before.size() - 1);
}

TEST(mrt_tables, EntriesHaveTheirPeersPrefixAndAttributes) {
    const octets six = as_path(4, {65'002}) + mp_next_hop("2001:db8::9");
    const octets all = two_peers() +
                       in_v2(v4, rib("10.0.0.0/8", {rib_entry(0, usual), rib_entry(1, usual)})) +
                       in_v2(v4, rib("0.0.0.0/0", {rib_entry(0, {})})) + in_v2(v4, rib("10.1.2.3/32", {})) +
                       in_v2(v6, rib("2001:db8:1::/48", {rib_entry(1, six)})) +
                       in_v2(v4_multicast, rib("10.128.0.0/9", {rib_entry(1, usual)})) +
                       in_v2(v6_multicast, rib("::/0", {rib_entry(0, six)})) +
                       in_v2(v6, rib("2001:db8::1/128", {rib_entry(0, six)}));
    const auto read = list_mrt(all.view());
    EXPECT_EQ(read.text, "B 10 192.0.2.1 65536 10.0.0.0/8 192.0.2.9 65550\n"
                         "B 10 2001:db8::1 65002 10.0.0.0/8 192.0.2.9 65550\n"
                         "B 10 192.0.2.1 65536 0.0.0.0/0 - -\n"
                         "B 10 2001:db8::1 65002 2001:db8:1::/48 2001:db8::9 65002\n"
                         "B 10 2001:db8::1 65002 10.128.0.0/9 192.0.2.9 65550\n"
                         "B 10 192.0.2.1 65536 ::/0 2001:db8::9 65002\n"
                         "B 10 192.0.2.1 65536 2001:db8::1/128 2001:db8::9 65002\n");
    EXPECT_EQ(read.decoder.counted().records, 8u);
    EXPECT_EQ(read.decoder.counted().entries, 7u);
    EXPECT_EQ(read.decoder.counted().damaged, 0u);
    EXPECT_TRUE(read.is_complete);
}

TEST(mrt_tables, BitsPastTheLengthAreCleared) {
    const octets body = octets().u32(0).u8(9).u8(10).u8(0xff).u16(1).add(rib_entry(0, usual));
    EXPECT_EQ(listed(two_peers() + in_v2(v4, body)), "B 10 192.0.2.1 65536 10.128.0.0/9 192.0.2.9 65550\n");
}

TEST(mrt_tables, PathIdentifiersOfAddPath) {
    const octets six = mp_next_hop("2001:db8::9");
    const octets all =
        two_peers() +
        in_v2(v4 + with_ids, rib("10.0.0.0/8", {rib_entry(0, usual, 1), rib_entry(0, usual, 0xffff'ffff)})) +
        in_v2(v6 + with_ids, rib("2001:db8::/32", {rib_entry(1, six, 0)})) +
        in_v2(v4_multicast + with_ids, rib("10.0.0.0/8", {rib_entry(1, usual, 3)})) +
        in_v2(v6_multicast + with_ids, rib("2001:db8::/33", {rib_entry(1, six, 4)}));
    EXPECT_EQ(listed(all), "B 10 192.0.2.1 65536 10.0.0.0/8 192.0.2.9 65550 id 1\n"
                           "B 10 192.0.2.1 65536 10.0.0.0/8 192.0.2.9 65550 id 4294967295\n"
                           "B 10 2001:db8::1 65002 2001:db8::/32 2001:db8::9 - id 0\n"
                           "B 10 2001:db8::1 65002 10.0.0.0/8 192.0.2.9 65550 id 3\n"
                           "B 10 2001:db8::1 65002 2001:db8::/33 2001:db8::9 - id 4\n");
}

TEST(mrt_tables, WhatIsNotReadIsCounted) {
    const octets generic_body = octets().u32(0).u16(25).u8(65).zeros(20);
    const octets all = two_peers() + in_v2(generic, generic_body) + in_v2(generic + with_ids, generic_body) +
                       in_v2(geo, octets().zeros(30)) + in_v2(v4, rib("10.0.0.0/8", {rib_entry(0, {})}));
    const auto read = list_mrt(all.view());
    EXPECT_EQ(read.text, "B 10 192.0.2.1 65536 10.0.0.0/8 - -\n");
    EXPECT_EQ(read.decoder.counted()[skipped::rib_generic], 2u);
    EXPECT_EQ(read.decoder.counted()[skipped::geo_peers], 1u);
    EXPECT_EQ(read.decoder.counted().damaged, 0u);
}

TEST(mrt_tables, ALaterTableOfPeersReplacesTheEarlierOne) {
    const octets one = in_v2(v4, rib("10.0.0.0/8", {rib_entry(1, usual)}));
    const octets shorter = record(2, v2_type, peers, peer_index({{"192.0.2.7", 7}}));
    const octets other = record(2, v2_type, peers, peer_index({{"192.0.2.7", 7}, {"192.0.2.8", 8}}));
    const octets damaged =
        record(2, v2_type, peers, peer_index({{"192.0.2.7", 7}, {"192.0.2.8", 8}}).first(31));
    EXPECT_EQ(
        listed(two_peers() + one + other + one),
        "B 10 2001:db8::1 65002 10.0.0.0/8 192.0.2.9 65550\nB 10 192.0.2.8 8 10.0.0.0/8 192.0.2.9 65550\n");
    EXPECT_NE(listed(two_peers() + shorter + one).find("an entry has a peer index"), std::string::npos);
    // If the table of peers is damaged, nothing is reported about peers rather than something wrong.
    const std::string after = listed(two_peers() + damaged + one);
    EXPECT_NE(after.find("the table of peers is cut short"), std::string::npos) << after;
    EXPECT_NE(after.find("an entry has a peer index"), std::string::npos) << after;
    EXPECT_NE(listed(one).find("an entry has a peer index"), std::string::npos);
}

TEST(mrt_tables, NextHopsOfEveryForm) {
    const auto next_hop = [](unsigned kind, std::string_view prefix, const octets& attributes) {
        const std::string text = listed(two_peers() + in_v2(kind, rib(prefix, {rib_entry(0, attributes)})));
        return text.substr(0, text.rfind(' ')).substr(text.substr(0, text.rfind(' ')).rfind(' ') + 1);
    };
    const octets global = octets().address("2001:db8::9"), local = octets().address("fe80::9");
    const octets both = attribute(14, octets().u8(32).add(global).add(local));
    // All of MP_REACH_NLRI, as some routers write it into tables.
    const octets whole = mp_reach(2, 1, "2001:db8::9", prefixes({"2001:db8::/32"}));
    for (const octets& form : {mp_next_hop("2001:db8::9"), both, whole}) {
        EXPECT_EQ(next_hop(v6, "2001:db8::/32", form), "2001:db8::9");
        // RFC 8950: a route of IPv4 by way of IPv6; NEXT_HOP is preferred where it is there.
        EXPECT_EQ(next_hop(v4, "10.0.0.0/8", form), "2001:db8::9");
        EXPECT_EQ(next_hop(v4, "10.0.0.0/8", form + next_hop_attribute("192.0.2.9")), "192.0.2.9");
        EXPECT_EQ(next_hop(v6, "2001:db8::/32", next_hop_attribute("192.0.2.9") + form), "2001:db8::9");
    }
    EXPECT_EQ(next_hop(v6, "2001:db8::/32", {}), "-");
    EXPECT_EQ(fault_of(v6, rib("2001:db8::/32", {rib_entry(0, attribute(14, octets().u8(5).zeros(5)))})),
              "the next hop in MP_REACH_NLRI is not an address");
    EXPECT_EQ(fault_of(v6, rib("2001:db8::/32", {rib_entry(0, attribute(14, octets().u8(16).zeros(15)))})),
              "MP_REACH_NLRI is cut short");
    // A length of 0 is taken for the first byte of the address family.
    EXPECT_EQ(fault_of(v6, rib("2001:db8::/32", {rib_entry(0, attribute(14, octets().u8(0)))})),
              "MP_REACH_NLRI is cut short");
}

TEST(mrt_tables, DamagedRecordsSayWhy) {
    EXPECT_EQ(fault_of(v4, octets().u32(0).u8(33).zeros(5).u16(1).add(rib_entry(0, usual))),
              "a prefix is longer than its addresses");
    EXPECT_EQ(fault_of(v6, octets().u32(0).u8(129).zeros(17).u16(0)),
              "a prefix is longer than its addresses");
    EXPECT_EQ(fault_of(v6, octets().u32(0).u8(128).zeros(15)), "a prefix is cut short");
    EXPECT_EQ(fault_of(v4, rib("10.0.0.0/8", {rib_entry(0, usual)}).u8(0)), "bytes follow the last entry");
    EXPECT_EQ(fault_of(v4, rib("10.0.0.0/8", {rib_entry(2, usual)})),
              "an entry has a peer index that is not in the table of peers");
    EXPECT_EQ(fault_of(v4, octets().u32(0).prefix("10.0.0.0/8").u16(2).add(rib_entry(0, usual))),
              "the last entry is cut short");
    EXPECT_EQ(fault_of(v4, rib("10.0.0.0/8", {rib_entry(0, octets().u8(0x40).u8(3).u8(5).zeros(4))})),
              "a path attribute extends past the end of the attributes");
    EXPECT_EQ(fault_of(peers, peer_index({{"192.0.2.7", 7}}).u8(0)), "bytes follow the last peer");
    EXPECT_EQ(fault_of(peers, octets().u32(0).u16(0).u16(0xffff)), "the table of peers is cut short");
    EXPECT_EQ(fault_of(peers, octets().u32(0).u16(0xffff).zeros(8)), "the table of peers is cut short");
}

TEST(mrt_tables, EveryShorterBodyIsDamaged) {
    const octets body = rib("10.0.0.0/8", {rib_entry(0, usual), rib_entry(1, usual)});
    const octets list = peer_index({{"192.0.2.7", 7}, {"2001:db8::1", 65'002, 2}});
    // A record of less than 7 bytes is none.
    for (std::size_t size = 7; size < body.size(); ++size)
        EXPECT_NE(fault_of(v4, body.first(size)), "") << size;
    for (std::size_t size = 7; size < list.size(); ++size)
        EXPECT_EQ(fault_of(peers, list.first(size)), "the table of peers is cut short") << size;
}

TEST(mrt_tables, TableDump) {
    const octets attributes = as_path(2, {65'001, 65'009}) + next_hop_attribute("192.0.2.9");
    const octets four = table_dump_entry("10.0.0.0", 8, "192.0.2.1", 65'001, attributes);
    const octets six = table_dump_entry("2001:db8::", 32, "2001:db8::1", 65'002,
                                        as_path(2, {65'002}) + mp_next_hop("2001:db8::9"));
    const octets all =
        record(10, table_dump_type, 1, table_dump(four)) + record(11, table_dump_type, 2, table_dump(six)) +
        record(12, table_dump_type, 1, table_dump(table_dump_entry("10.255.0.0", 9, "192.0.2.1", 1, {})));
    const auto read = list_mrt(all.view());
    EXPECT_EQ(read.text, "B 10 192.0.2.1 65001 10.0.0.0/8 192.0.2.9 65009\n"
                         "B 11 2001:db8::1 65002 2001:db8::/32 2001:db8::9 65002\n"
                         "B 12 192.0.2.1 1 10.128.0.0/9 - -\n");
    EXPECT_TRUE(read.is_complete);
}

// Those of early dumps: many entries, and a length that leaves out the first two fields.
TEST(mrt_tables, TableDumpOfManyEntries) {
    octets entries;
    std::string wanted;
    for (unsigned i = 0; i < 5; ++i) {
        const std::string base = "10." + std::to_string(i) + ".0.0";
        entries.add(table_dump_entry(base, 16, "192.0.2.1", 65'001, as_path(2, {i + 1})));
        wanted += "B 10 192.0.2.1 65001 " + base + "/16 - " + std::to_string(i + 1) + "\n";
    }
    EXPECT_EQ(listed(record(10, table_dump_type, 1, table_dump(entries))), wanted);
    const octets early =
        octets().u32(10).u16(table_dump_type).u16(1).u32(entries.size()).add(table_dump(entries));
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{0}}) {
        const auto read = list_mrt((early + early).view(), piece);
        EXPECT_EQ(read.text, wanted + wanted);
        EXPECT_EQ(read.records, 2u);
        EXPECT_TRUE(read.is_complete);
    }
}

TEST(mrt_tables, DamagedTableDump) {
    const octets entry = table_dump_entry("10.0.0.0", 8, "192.0.2.1", 65'001, as_path(2, {1}));
    const octets too_long = table_dump_entry("10.0.0.0", 33, "192.0.2.1", 65'001, {});
    const auto fault_in = [](const octets& body) {
        const std::string text = listed(record(10, table_dump_type, 1, body));
        const std::string before = "! 0+" + std::to_string(12 + body.size()) + " ";
        EXPECT_TRUE(text.starts_with(before)) << text;
        return text.substr(before.size());
    };
    EXPECT_EQ(fault_in(table_dump(too_long)), "a prefix is longer than its addresses\n");
    EXPECT_EQ(fault_in(table_dump(entry + too_long)), "a prefix is longer than its addresses\n");
    for (std::size_t size = 14; size < entry.size(); ++size)
        EXPECT_EQ(fault_in(table_dump(entry.first(size))), "the last entry is cut short\n") << size;
}

} // namespace
} // namespace fingerpost::testing::of_mrt_tables
