// Hop counts, checksums and Ethernet headers of forwarded packets, byte by byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "router/packet/rewrite.hpp"
#include "router/tests/data/packets.hpp"

namespace fingerpost::router {
namespace {

using testing::frame;
using testing::ipv4_frame;
using testing::ipv6_frame;
using testing::make_packet;
using testing::octets;
using testing::packet_pointer;

const rte_ether_addr to{{0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee}}, from{{0x02, 0x11, 0x22, 0x33, 0x44, 0x55}};

packet_pointer packet_to_rewrite(const frame& one) {
    packet_pointer packet = make_packet(one.bytes);
    const inspected found = inspect(*packet, testing::test_ingress());
    EXPECT_TRUE(found.what == verdict::forward_ipv4 || found.what == verdict::forward_ipv6);
    return packet;
}

// The frame that must be sent, computed without the code under test.
octets expected_bytes(const frame& one, std::uint16_t vlan) {
    frame out = one;
    const bool ipv4 = one.bytes[one.ip] >> 4 == 4;
    out.bytes.erase(out.bytes.begin(), out.bytes.begin() + static_cast<std::ptrdiff_t>(one.ip));
    out.ip = 0;
    --out.bytes[ipv4 ? 8 : 7];
    if (ipv4)
        out = out.summed();
    octets header = testing::hex("02aabbccddee 021122334455");
    if (vlan != 0) {
        const octets tag{0x81, 0x00, static_cast<std::uint8_t>(vlan >> 8), static_cast<std::uint8_t>(vlan)};
        header.insert(header.end(), tag.begin(), tag.end());
    }
    const octets type = testing::hex(ipv4 ? "0800" : "86dd");
    header.insert(header.end(), type.begin(), type.end());
    header.insert(header.end(), out.bytes.begin(), out.bytes.end());
    return header;
}

std::vector<frame> forwarded_frames() {
    std::vector<frame> frames;
    for (const frame& one : {ipv4_frame(), ipv6_frame(), ipv4_frame().with_options("01010101"),
                             ipv6_frame().with_extension(60, "0000 0104 00000000")})
        for (const frame& tagged : {one, one.tagged(5), one.tagged(100)})
            frames.push_back(tagged);
    return frames;
}

TEST(Rewrite, KeepsPushesPopsAndChangesTags) {
    for (const frame& one : forwarded_frames())
        for (const std::uint16_t vlan : std::initializer_list<std::uint16_t>{0, 7, 4094}) {
            const link_header header(to, from, vlan);
            const packet_pointer packet = packet_to_rewrite(one);
            count_hop(*packet);
            replace_link(*packet, header);
            EXPECT_EQ(testing::bytes_of(*packet), expected_bytes(one, vlan));
            EXPECT_EQ(packet->pkt_len, packet->data_len);
            EXPECT_EQ(link_length(*packet), vlan == 0 ? untagged_length : tagged_length);
        }
}

// Only the first segment of a segmented packet changes.
TEST(Rewrite, SegmentedPackets) {
    const frame one = ipv4_frame();
    const packet_pointer packet = testing::make_segmented_packet(one.bytes, 40);
    ASSERT_EQ(inspect(*packet, testing::test_ingress()).what, verdict::forward_ipv4);
    count_hop(*packet);
    replace_link(*packet, link_header(to, from, 9));
    EXPECT_EQ(testing::bytes_of(*packet), expected_bytes(one, 9));
    EXPECT_EQ(packet->pkt_len, one.bytes.size() + 4);
}

// For every header checksum and every TTL that it can belong to, the updated checksum equals the one computed
// from the header.
TEST(Rewrite, EveryHeaderChecksum) {
    const packet_pointer packet = packet_to_rewrite(ipv4_frame());
    auto* bytes = rte_pktmbuf_mtod_offset(packet.get(), std::uint8_t*, 14);
    std::set<unsigned> seen;
    for (const unsigned ttl : {2, 3, 64, 127, 128, 129, 255})
        for (unsigned identification = 0; identification <= 0xffff; ++identification) {
            bytes[4] = static_cast<std::uint8_t>(identification >> 8);
            bytes[5] = static_cast<std::uint8_t>(identification);
            bytes[8] = static_cast<std::uint8_t>(ttl);
            bytes[10] = bytes[11] = 0;
            const unsigned sum = testing::reference_checksum(bytes, 20);
            seen.insert(sum);
            bytes[10] = static_cast<std::uint8_t>(sum >> 8);
            bytes[11] = static_cast<std::uint8_t>(sum);
            count_hop(*packet);
            const unsigned after = static_cast<unsigned>(bytes[10] << 8 | bytes[11]);
            ASSERT_EQ(bytes[8], ttl - 1);
            bytes[10] = bytes[11] = 0;
            ASSERT_EQ(after, testing::reference_checksum(bytes, 20)) << sum;
        }
    // The computation never gives 0xffff, one of the 65,536 numbers; senders may write it instead of 0.
    EXPECT_EQ(seen.size(), 65535u);
    EXPECT_FALSE(seen.contains(0xffff));
}

TEST(Rewrite, ChecksumWrittenAsAllOnes) {
    const packet_pointer packet = packet_to_rewrite(ipv4_frame());
    auto* bytes = rte_pktmbuf_mtod_offset(packet.get(), std::uint8_t*, 14);
    // The identification for which the checksum is 0.
    bytes[4] = bytes[5] = bytes[10] = bytes[11] = 0;
    const unsigned rest = testing::reference_checksum(bytes, 20);
    bytes[4] = static_cast<std::uint8_t>(rest >> 8);
    bytes[5] = static_cast<std::uint8_t>(rest);
    ASSERT_EQ(testing::reference_checksum(bytes, 20), 0);
    bytes[10] = bytes[11] = 0xff;
    ASSERT_EQ(testing::reference_checksum(bytes, 20), 0);
    count_hop(*packet);
    EXPECT_EQ(testing::reference_checksum(bytes, 20), 0);
    EXPECT_EQ(bytes[10], 0x01);
    EXPECT_EQ(bytes[11], 0x00);
}

TEST(Rewrite, HopsAndLengths) {
    for (const char* ttl : {"00", "01", "02", "ff"}) {
        const bool may = ttl[0] == 'f' || ttl[1] == '2';
        EXPECT_EQ(may_hop(*packet_to_rewrite(ipv4_frame().ip_set(8, ttl).summed())), may) << ttl;
        EXPECT_EQ(may_hop(*packet_to_rewrite(ipv6_frame().ip_set(7, ttl))), may) << ttl;
    }
    const packet_pointer tagged = packet_to_rewrite(ipv4_frame().tagged(5));
    EXPECT_TRUE(fits(*tagged, 46));
    EXPECT_FALSE(fits(*tagged, 45));
    const packet_pointer ipv6 = packet_to_rewrite(ipv6_frame());
    EXPECT_TRUE(fits(*ipv6, 66));
    EXPECT_FALSE(fits(*ipv6, 65));
}

// Packets that may be forwarded are rewritten; others are unchanged.
TEST(Rewrite, LeavesWhatMayNotGo) {
    const way_out wide{link_header(to, from, 0), 1500}, tagged{link_header(to, from, 33), 1500},
        narrow{link_header(to, from, 0), 45};
    for (const frame& base : forwarded_frames())
        for (const way_out* way : {&wide, &tagged, &narrow})
            for (const bool expired : {false, true}) {
                const bool ipv4 = base.bytes[base.ip] >> 4 == 4;
                const frame ended = ipv4 ? base.ip_set(8, "01").summed() : base.ip_set(7, "01");
                const frame& one = expired ? ended : base;
                const packet_pointer packet = packet_to_rewrite(one);
                const bool stays = expired || way == &narrow;
                EXPECT_EQ(rewrite(*packet, *way), !stays);
                EXPECT_EQ(testing::bytes_of(*packet),
                          stays ? one.bytes : expected_bytes(one, way == &tagged ? 33 : 0));
                EXPECT_EQ(packet->pkt_len, packet->data_len);
            }
}

// The memory before a header is unused, but writing to it would cost a cache line.
TEST(Rewrite, WritesNothingInFrontOfTheHeader) {
    for (const std::uint16_t vlan : std::initializer_list<std::uint16_t>{0, 7}) {
        const link_header header(to, from, vlan);
        std::array<std::uint8_t, 40> room;
        room.fill(0xa5);
        header.write_before(room.data() + 32, false);
        const auto untouched = [](std::uint8_t byte) { return byte == 0xa5; };
        EXPECT_TRUE(std::all_of(room.begin(), room.begin() + 32 - header.length(), untouched)) << vlan;
        EXPECT_TRUE(std::all_of(room.begin() + 32, room.end(), untouched)) << vlan;
        EXPECT_FALSE(std::any_of(room.begin() + 32 - header.length(), room.begin() + 32, untouched)) << vlan;
    }
}

TEST(Rewrite, PutsTheTagBackForTheHost) {
    const packet_pointer packet = testing::make_direct_packet(ipv4_frame().bytes);
    packet->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
    packet->vlan_tci = 0xa005;
    ASSERT_EQ(inspect(*packet, testing::test_ingress()).what, verdict::forward_ipv4);
    const octets tagged = ipv4_frame().tagged(5).bytes;
    for (int twice = 0; twice < 2; ++twice) {
        ASSERT_TRUE(put_tag_back(*packet));
        EXPECT_EQ(testing::bytes_of(*packet), tagged);
        EXPECT_EQ(link_length(*packet), tagged_length);
    }
    EXPECT_EQ(inspect(*packet, testing::test_ingress()).what, verdict::forward_ipv4);
    EXPECT_EQ(vlan_of(*packet), 5);

    const packet_pointer no_room = testing::make_direct_packet(ipv4_frame().bytes);
    no_room->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
    rte_pktmbuf_prepend(no_room.get(), rte_pktmbuf_headroom(no_room.get()));
    EXPECT_FALSE(put_tag_back(*no_room));
}

} // namespace
} // namespace fingerpost::router
