// Notes that packets carry, and the list of drop reasons.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "router/packet/drop_reason.hpp"
#include "router/packet/notes.hpp"
#include "router/tests/data/packets.hpp"

namespace fingerpost::router {
namespace {

// Notes do not overwrite each other.
TEST(Notes, AreApart) {
    const testing::packet_pointer packet = testing::make_packet(testing::ipv6_frame().bytes);
    note_ingress_port(*packet, 3);
    note_vlan(*packet, 4094);
    note_ipv6(*packet);
    note_link_length(*packet, tagged_length);
    note_flow_hash(*packet, 0x89abcdef);
    note_next_hop(*packet, next_hop{0x01234567});
    const testing::packet_pointer other = testing::make_packet(testing::ipv6_frame().bytes);
    copy_notes(*packet, *other);
    note_link_length(*other, untagged_length);
    for (const rte_mbuf* one : {packet.get(), other.get()}) {
        EXPECT_EQ(ingress_port(*one), 3);
        EXPECT_EQ(vlan_of(*one), 4094);
        EXPECT_TRUE(is_ipv6(*one) && !is_ipv4(*one));
        EXPECT_EQ(flow_hash(*one), 0x89abcdefu);
        EXPECT_EQ(next_hop_of(*one), next_hop{0x01234567});
    }
    EXPECT_EQ(link_length(*packet), tagged_length);
    EXPECT_EQ(link_length(*other), untagged_length);
    note_ipv4(*packet);
    EXPECT_TRUE(is_ipv4(*packet) && !is_ipv6(*packet));
    note_not_ip(*packet);
    EXPECT_TRUE(!is_ipv4(*packet) && !is_ipv6(*packet));
}

TEST(Notes, AddressesAsTheLibraryHasThem) {
    const testing::packet_pointer four = testing::make_packet(testing::ipv4_frame().bytes);
    note_link_length(*four, untagged_length);
    EXPECT_EQ(ipv4_from(ipv4_header(*four).dst_addr), ipv4_address{0xc6336407});
    EXPECT_EQ(ip_length(*four), 46u);
    const testing::packet_pointer six = testing::make_packet(testing::ipv6_frame().bytes);
    note_link_length(*six, untagged_length);
    EXPECT_EQ(ipv6_from(ipv6_header(*six).dst_addr), ipv6_address{u128{0x20010db800010000} << 64 | 7});
}

// Names are labels of counters: unique, and made of lower-case letters, digits and underscores.
TEST(DropReasons, HaveNamesAndSentences) {
    std::set<std::string_view> names;
    for (const drop_reason_facts& one : drop_reasons) {
        EXPECT_TRUE(names.insert(one.name).second) << one.name;
        EXPECT_TRUE(std::ranges::all_of(
            one.name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }));
        EXPECT_TRUE(one.sentence.ends_with('.')) << one.name;
        EXPECT_EQ(facts_of(one.reason).name, one.name);
    }
    EXPECT_EQ(names.size(), drop_reason_count);
}

} // namespace
} // namespace fingerpost::router
