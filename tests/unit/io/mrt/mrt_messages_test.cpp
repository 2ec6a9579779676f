// BGP messages in MRT files: BGP4MP with every subtype, BGP4MP_ET, the deprecated type, and damaged
// attributes.
#include <gtest/gtest.h>
#include <string>

#include "tests/support/mrt_listing.hpp"
#include "tests/support/mrt_writer.hpp"

namespace fingerpost::testing {
namespace {

using io::mrt::skipped;

enum type : unsigned { bgp = 5, bgp4mp = 16, bgp4mp_et = 17 };
enum subtype : unsigned { change = 0, as2 = 1, as4 = 4, change_as4 = 5, as2_local = 6, as4_local = 7 };
// From a plain one to the same with ADD-PATH.
unsigned with_ids(unsigned plain) {
    return plain == as2 ? 8 : plain == as4 ? 9 : plain + 4;
}

constexpr std::string_view peer = "192.0.2.1";

octets in_bgp4mp(unsigned subtype, const octets& body) {
    return record(10, bgp4mp, subtype, body);
}
mrt_listing read(const octets& stream) {
    return list_mrt(stream.view());
}
// The entries of an UPDATE with four-byte AS numbers, without the fields that all entries share.
std::string said(const octets& withdrawn, const octets& attributes, const octets& announced) {
    std::string text =
        read(in_bgp4mp(as4, session(4, 1, peer) + update(withdrawn, attributes, announced))).text;
    const std::string shared = " 10 192.0.2.1 1 ";
    for (std::size_t at = text.find(shared); at != std::string::npos; at = text.find(shared))
        text.replace(at, shared.size(), " ");
    return text;
}
// The reason why the record has no entries; there must be nothing else.
std::string fault_of(const octets& whole) {
    const auto all = read(whole);
    EXPECT_EQ(all.decoder.counted().entries, 0u) << all.text;
    EXPECT_EQ(all.decoder.counted().damaged_bytes, whole.size()) << all.text;
    const std::string before = "! 0+" + std::to_string(whole.size()) + " ";
    EXPECT_TRUE(all.text.starts_with(before)) << all.text;
    return all.text.substr(before.size(), all.text.size() - before.size() - 1);
}
std::string fault_of_attributes(const octets& attributes) {
    return fault_of(in_bgp4mp(as4, session(4, 1, peer) + update({}, attributes, prefixes({"10.0.0.0/8"}))));
}
// The origin that a route gets, with AS numbers of this width.
std::string origin_of(unsigned width, const octets& attributes) {
    const octets body = session(width, 1, peer) + update({}, attributes, prefixes({"10.0.0.0/8"}));
    const std::string text = read(in_bgp4mp(width == 4 ? as4 : as2, body)).text;
    return text.substr(text.rfind(' ') + 1, text.size() - text.rfind(' ') - 2);
}

TEST(mrt_messages, WithdrawalsThenAnnouncementsOfBothFamilies) {
    const octets six = prefixes({"2001:db8:1::/48", "::/0"});
    const octets attributes = mp_reach(2, 1, "2001:db8::9", six) + as_path(4, {65'001, 65'550}) +
                              mp_unreach(2, 1, prefixes({"2001:db8:2::/48"})) +
                              next_hop_attribute("192.0.2.9");
    EXPECT_EQ(
        said(prefixes({"10.1.0.0/16", "0.0.0.0/0"}), attributes, prefixes({"10.2.3.4/32", "10.4.0.0/15"})),
        "W 10.1.0.0/16 - -\n"
        "W 0.0.0.0/0 - -\n"
        "W 2001:db8:2::/48 - -\n"
        "A 10.2.3.4/32 192.0.2.9 65550\n"
        "A 10.4.0.0/15 192.0.2.9 65550\n"
        "A 2001:db8:1::/48 2001:db8::9 65550\n"
        "A ::/0 2001:db8::9 65550\n");
}

TEST(mrt_messages, OtherListsOfPrefixes) {
    EXPECT_EQ(said({},
                   mp_reach(1, 1, "2001:db8::9", prefixes({"10.0.0.0/8"})) +
                       mp_unreach(1, 2, prefixes({"11.0.0.0/8"})),
                   {}),
              "W 11.0.0.0/8 - -\nA 10.0.0.0/8 2001:db8::9 -\n");
    EXPECT_EQ(said({}, mp_reach(2, 2, "2001:db8::9", prefixes({"2001:db8::/32"})), {}),
              "A 2001:db8::/32 2001:db8::9 -\n");
    // End of RIB: there are no entries.
    EXPECT_EQ(said({}, {}, {}), "");
    EXPECT_EQ(said({}, mp_unreach(2, 1, {}), {}), "");
    // Families that are not read are counted, whatever their next hops are.
    const octets other =
        mp_reach(1, 128, "2001:db8::9", octets().zeros(9)) + mp_unreach(25, 65, octets().u8(1));
    const auto all = read(in_bgp4mp(as4, session(4, 1, peer) + update(prefixes({"10.0.0.0/8"}), other, {})));
    EXPECT_EQ(all.text, "W 10 192.0.2.1 1 10.0.0.0/8 - -\n");
    EXPECT_EQ(all.decoder.counted()[skipped::other_family], 2u);
}

TEST(mrt_messages, EverySubtype) {
    for (const unsigned plain : {as2, as4, as2_local, as4_local}) {
        const unsigned width = plain == as2 || plain == as2_local ? 2 : 4;
        const octets attributes = as_path(width, {65'001}) + next_hop_attribute("192.0.2.9");
        const octets withdrawn = prefixes({"10.0.0.0/8"}), announced = prefixes({"11.0.0.0/8"});
        const std::string end = plain >= as2_local ? " local\n" : "\n";
        for (const auto& [from, shown] :
             {std::pair("192.0.2.1", "192.0.2.1"), {"2001:db8::1", "2001:db8::1"}}) {
            const std::string who = std::string(" 10 ") + shown + " 65001 ";
            EXPECT_EQ(read(in_bgp4mp(plain,
                                     session(width, 65'001, from) + update(withdrawn, attributes, announced)))
                          .text,
                      "W" + who + "10.0.0.0/8 - -" + end + "A" + who + "11.0.0.0/8 192.0.2.9 65001" + end);
            const octets with = update(numbered_prefixes({"10.0.0.0/8"}, 5), attributes,
                                       numbered_prefixes({"11.0.0.0/8", "11.0.0.0/8"}, 0xffff'fffe));
            EXPECT_EQ(read(in_bgp4mp(with_ids(plain), session(width, 65'001, from) + with)).text,
                      "W" + who + "10.0.0.0/8 - - id 5" + end + "A" + who +
                          "11.0.0.0/8 192.0.2.9 65001 id 4294967294" + end + "A" + who +
                          "11.0.0.0/8 192.0.2.9 65001 id 4294967295" + end);
        }
    }
}

TEST(mrt_messages, MicrosecondsOfTheExtendedType) {
    const octets body = session(4, 70'000, peer) + update(prefixes({"10.0.0.0/8"}), {}, {});
    EXPECT_EQ(read(record(10, bgp4mp_et, as4, octets().u32(999'999).add(body))).text,
              "W 10+999999us 192.0.2.1 70000 10.0.0.0/8 - -\n");
    EXPECT_EQ(read(record(10, bgp4mp_et, as4, octets().u32(0).add(body))).text,
              "W 10+0us 192.0.2.1 70000 10.0.0.0/8 - -\n");
}

TEST(mrt_messages, PathIdentifiersThatTheRecordDoesNotTellOf) {
    const octets list = numbered_prefixes({"2001:db8:1::/48", "2001:db8:2::/48"}, 1);
    const octets body = session(4, 1, peer) + update({}, mp_reach(2, 1, "2001:db8::9", list), {});
    const auto all = read(in_bgp4mp(as4, body));
    EXPECT_EQ(all.text, "A 10 192.0.2.1 1 2001:db8:1::/48 2001:db8::9 - id 1\n"
                        "A 10 192.0.2.1 1 2001:db8:2::/48 2001:db8::9 - id 2\n");
    EXPECT_EQ(all.decoder.counted().guessed_path_ids, 1u);
    // In the opposite case nothing is guessed.
    const octets plain = session(4, 1, peer) + update(prefixes({"10.0.0.0/8", "10.1.0.0/16"}), {}, {});
    EXPECT_EQ(fault_of(in_bgp4mp(with_ids(as4), plain)), "a prefix is cut short");
}

TEST(mrt_messages, WhatIsNoUpdateIsCounted) {
    octets all = in_bgp4mp(change, session(2, 1, peer).u16(3).u16(2)) +
                 in_bgp4mp(change_as4, session(4, 1, peer).u16(3).u16(2));
    for (const unsigned kind : {1, 3, 4, 5, 77})
        all.add(in_bgp4mp(as4, session(4, 1, peer) + message(kind, octets().zeros(10))));
    // There is no state change with ADD-PATH or similar.
    all.add(in_bgp4mp(2, octets().zeros(20))).add(in_bgp4mp(3, octets().zeros(20)));
    const auto counted = read(all).decoder.counted();
    EXPECT_EQ(counted.records, 9u);
    EXPECT_EQ(counted.damaged, 0u);
    EXPECT_EQ(counted[skipped::state_change], 2u);
    EXPECT_EQ(counted[skipped::other_record], 2u);
    for (const skipped kind : {skipped::open, skipped::notification, skipped::keepalive,
                               skipped::route_refresh, skipped::other_message})
        EXPECT_EQ(counted[kind], 1u) << io::mrt::name_of(kind);
}

TEST(mrt_messages, DeprecatedType) {
    const octets head = octets().u16(65'001).address(peer).u16(65'002).address("192.0.2.2");
    const octets body =
        update_body(prefixes({"10.0.0.0/8"}), as_path(2, {65'001}) + next_hop_attribute("192.0.2.9"),
                    prefixes({"11.0.0.0/8"}));
    octets all = record(10, bgp, 1, head + body);
    for (const unsigned other : {0, 2, 3, 4, 5, 6, 7})
        all.add(record(10, bgp, other, octets().zeros(other)));
    const auto got = read(all);
    EXPECT_EQ(got.text,
              "W 10 192.0.2.1 65001 10.0.0.0/8 - -\nA 10 192.0.2.1 65001 11.0.0.0/8 192.0.2.9 65001\n");
    const auto counted = got.decoder.counted();
    EXPECT_EQ(counted[skipped::other_record], 3u); // null, preference update, sync
    for (const skipped kind :
         {skipped::state_change, skipped::open, skipped::notification, skipped::keepalive})
        EXPECT_EQ(counted[kind], 1u) << io::mrt::name_of(kind);
    for (std::size_t size = 0; size < head.size(); ++size)
        EXPECT_EQ(fault_of(record(10, bgp, 1, head.first(size))), "the record is cut short") << size;
    const octets whole = head + body;
    for (std::size_t size = head.size(); size < whole.size() - 2; ++size)
        EXPECT_NE(fault_of(record(10, bgp, 1, whole.first(size))), "") << size;
}

TEST(mrt_messages, EveryShorterRecordIsDamaged) {
    const octets attributes =
        as_path(4, {65'001}) + mp_reach(2, 1, "2001:db8::9", prefixes({"2001:db8::/32"}));
    const octets body =
        octets().u32(5).add(session(4, 1, peer) + update({}, attributes, prefixes({"10.0.0.0/8"})));
    for (std::size_t size = 4; size < body.size(); ++size)
        EXPECT_NE(fault_of(record(10, bgp4mp_et, as4, body.first(size))), "") << size;
    EXPECT_EQ(read(record(10, bgp4mp_et, as4, body)).decoder.counted().entries, 2u);
    // A message that contains its own length is cut short within each of its lists.
    const octets lists = update_body(prefixes({"10.0.0.0/8"}), attributes, prefixes({"10.0.0.0/8"}));
    for (std::size_t size = 0; size < lists.size() - 2; ++size)
        EXPECT_NE(fault_of(in_bgp4mp(as4, session(4, 1, peer) + message(2, lists.first(size)))), "") << size;
}

TEST(mrt_messages, DamagedMessagesSayWhy) {
    const octets who = session(4, 1, peer);
    octets marker = update({}, {}, {}), longer = marker, shorter = marker;
    marker[3] = std::byte{0};
    longer[17] = std::byte{24};
    shorter[17] = std::byte{22};
    EXPECT_EQ(fault_of(in_bgp4mp(as4, who + marker)), "the BGP message has no marker");
    for (const octets& wrong : {longer, shorter})
        EXPECT_EQ(fault_of(in_bgp4mp(as4, who + wrong)),
                  "the record and its BGP message have different lengths");
    EXPECT_EQ(fault_of(in_bgp4mp(as4, octets().u32(1).u32(2).u16(0).u16(3).zeros(60))),
              "the peer has an unknown address family");
    const std::string lists = "the lists of the UPDATE extend past the end of the message";
    EXPECT_EQ(fault_of(in_bgp4mp(as4, who + message(2, octets().u16(1).u16(0)))), lists);
    EXPECT_EQ(fault_of(in_bgp4mp(as4, who + message(2, octets().u16(0).u16(1)))), lists);
    EXPECT_EQ(fault_of(in_bgp4mp(as4, who + message(2, octets().u16(0xffff).u16(0xffff)))), lists);
    // A record that has AS numbers of four bytes, but announces two.
    EXPECT_EQ(fault_of(in_bgp4mp(as2, who + update({}, {}, {}))), "the peer has an unknown address family");
}

TEST(mrt_messages, PrefixesLongerThanTheirFamily) {
    const octets who = session(4, 1, peer);
    const octets four = octets().u8(33).zeros(5), six = octets().u8(129).zeros(17);
    const std::string why = "a prefix is longer than its addresses";
    EXPECT_EQ(fault_of(in_bgp4mp(as4, who + update(four, {}, {}))), why);
    EXPECT_EQ(fault_of(in_bgp4mp(as4, who + update(prefixes({"10.0.0.0/8"}), {}, four))), why);
    EXPECT_EQ(fault_of_attributes(mp_reach(2, 1, "2001:db8::9", six)), why);
    EXPECT_EQ(fault_of_attributes(mp_unreach(2, 1, six)), why);
    EXPECT_EQ(fault_of_attributes(mp_unreach(1, 1, four)), why);
    EXPECT_EQ(fault_of_attributes(mp_unreach(2, 1, octets().u8(128).zeros(15))), "a prefix is cut short");
    EXPECT_EQ(fault_of(in_bgp4mp(with_ids(as4), who + update(octets().u32(1).add(four), {}, {}))), why);
}

TEST(mrt_messages, DamagedAttributes) {
    const std::string longer = "a path attribute extends past the end of the attributes";
    EXPECT_EQ(fault_of_attributes(octets().u8(0x40)), longer);
    EXPECT_EQ(fault_of_attributes(octets().u8(0x40).u8(1)), longer);
    EXPECT_EQ(fault_of_attributes(octets().u8(0x40).u8(1).u8(1)), longer);
    EXPECT_EQ(fault_of_attributes(octets().u8(0x50).u8(1).u8(0)), longer);
    EXPECT_EQ(fault_of_attributes(octets().u8(0x50).u8(1).u16(0xffff).zeros(200)), longer);
    EXPECT_EQ(fault_of_attributes(attribute(3, octets().zeros(3))), "NEXT_HOP is not an address");
    EXPECT_EQ(fault_of_attributes(attribute(3, octets().zeros(16))), "NEXT_HOP is not an address");
    EXPECT_EQ(fault_of_attributes(attribute(14, octets().u16(2).u8(1))), "MP_REACH_NLRI is cut short");
    EXPECT_EQ(fault_of_attributes(attribute(14, octets().u16(2).u8(1).u8(16).zeros(16))),
              "MP_REACH_NLRI is cut short");
    EXPECT_EQ(fault_of_attributes(attribute(14, octets().u16(2).u8(1).u8(15).zeros(16))),
              "the next hop in MP_REACH_NLRI is not an address");
    EXPECT_EQ(fault_of_attributes(attribute(15, octets().u16(2))), "MP_UNREACH_NLRI is cut short");
    const octets reach = mp_reach(2, 1, "2001:db8::9", {}), unreach = mp_unreach(2, 1, {});
    EXPECT_EQ(fault_of_attributes(reach + reach), "MP_REACH_NLRI occurs twice");
    EXPECT_EQ(fault_of_attributes(unreach + unreach), "MP_UNREACH_NLRI occurs twice");
    const std::string path = "AS_PATH is damaged";
    EXPECT_EQ(fault_of_attributes(attribute(2, octets().u8(2))), path);
    EXPECT_EQ(fault_of_attributes(attribute(2, octets().u8(2).u8(1).zeros(3))), path);
    EXPECT_EQ(fault_of_attributes(attribute(2, octets().u8(2).u8(1).zeros(5))), path);
    EXPECT_EQ(fault_of_attributes(attribute(2, octets().u8(0).u8(1).zeros(4))), path);
    EXPECT_EQ(fault_of_attributes(attribute(2, octets().u8(5).u8(1).zeros(4))), path);
    // A second attribute of the same type, and attributes that routes do not hold, change nothing.
    EXPECT_EQ(said({},
                   next_hop_attribute("192.0.2.9") + next_hop_attribute("192.0.2.8") + as_path(4, {1}) +
                       as_path(4, {2}) + attribute(8, octets().zeros(3)) +
                       attribute(255, octets().zeros(400)),
                   prefixes({"10.0.0.0/8"})),
              "A 10.0.0.0/8 192.0.2.9 1\n");
}

TEST(mrt_messages, OriginsOfPaths) {
    using enum segment;
    const auto path = [](const octets& segments) { return attribute(2, segments); };
    EXPECT_EQ(origin_of(4, {}), "-");
    EXPECT_EQ(origin_of(4, path({})), "-");
    EXPECT_EQ(origin_of(2, as_path(2, {1, 65'535})), "65535");
    EXPECT_EQ(origin_of(4, as_path(4, {1, 4'294'967'295})), "4294967295");
    EXPECT_EQ(origin_of(4, path(path_segment(4, {1, 2}) + path_segment(4, {7, 5, 6}, set))), "{7,5,6}");
    EXPECT_EQ(origin_of(4, path(path_segment(4, {7}, set))), "{7}");
    EXPECT_EQ(origin_of(4, path(path_segment(4, {7, 8}, set) + path_segment(4, {1, 2}))), "2");
    // Neither confederations nor segments without an AS are an origin.
    EXPECT_EQ(origin_of(4, path(path_segment(4, {1, 2}) + path_segment(4, {9}, confed_sequence))), "2");
    EXPECT_EQ(origin_of(4, path(path_segment(4, {9}, confed_sequence) + path_segment(4, {8}, confed_set))),
              "-");
    EXPECT_EQ(origin_of(4, path(path_segment(4, {1, 2}) + path_segment(4, {}))), "2");
}

TEST(mrt_messages, LargeAsNumbersOfOldSpeakers) {
    const auto as4_path = [](std::initializer_list<std::uint32_t> all) {
        return attribute(17, path_segment(4, all));
    };
    const octets old = as_path(2, {65'001, 23'456});
    const octets aggregator = attribute(7, octets().u16(65'001).zeros(4));
    const octets trans_aggregator = attribute(7, octets().u16(23'456).zeros(4));
    const octets as4_aggregator = attribute(18, octets().zeros(8));
    EXPECT_EQ(origin_of(2, old), "23456");
    EXPECT_EQ(origin_of(2, old + as4_path({70'000})), "70000");
    EXPECT_EQ(origin_of(2, as4_path({65'001, 70'000}) + old), "70000");
    // Ignored: an AS4_PATH that is longer than the path, empty or damaged, and one from before an
    // aggregation.
    EXPECT_EQ(origin_of(2, old + as4_path({1, 2, 70'000})), "23456");
    EXPECT_EQ(origin_of(2, old + as4_path({})), "23456");
    EXPECT_EQ(origin_of(2, old + attribute(17, octets().u8(2).u8(9).zeros(4))), "23456");
    EXPECT_EQ(origin_of(2, old + as4_path({70'000}) + aggregator + as4_aggregator), "23456");
    EXPECT_EQ(origin_of(2, old + as4_path({70'000}) + trans_aggregator + as4_aggregator), "70000");
    EXPECT_EQ(origin_of(2, old + as4_path({70'000}) + aggregator), "70000");
    EXPECT_EQ(origin_of(4, as_path(4, {1}) + as4_path({70'000})), "1");
}

} // namespace
} // namespace fingerpost::testing
