// Reassembling the fragments gives the original packet.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "router/packet/fragment.hpp"
#include "router/packet/notes.hpp"
#include "router/tests/data/packets.hpp"

namespace fingerpost::router {
namespace {

using testing::frame;
using testing::octets;
using testing::packet_pointer;

unsigned half(const octets& bytes, std::size_t at) {
    return static_cast<unsigned>(bytes[at] << 8 | bytes[at + 1]);
}

frame of_payload(std::size_t payload, unsigned flags_and_offset) {
    frame one = testing::ipv4_frame();
    one.bytes.resize(34 + payload);
    for (std::size_t i = 0; i < payload; ++i)
        one.bytes[34 + i] = static_cast<std::uint8_t>(i * 13 >> 3);
    const auto put = [&](std::size_t at, std::size_t value) {
        one.bytes[14 + at] = static_cast<std::uint8_t>(value >> 8);
        one.bytes[15 + at] = static_cast<std::uint8_t>(value);
    };
    put(2, 20 + payload);
    put(6, flags_and_offset);
    return one.summed();
}

struct cut_packet {
    std::vector<packet_pointer> fragments;
    drop_reason failure{};
};

cut_packet cut(rte_mbuf& packet, std::uint16_t mtu) {
    std::array<rte_mbuf*, most_fragments> into{};
    const auto made = fragment(packet, mtu, into, testing::test_pool());
    cut_packet result;
    if (!made) {
        result.failure = made.error();
        return result;
    }
    for (unsigned i = 0; i < *made; ++i)
        result.fragments.emplace_back(into[i]);
    return result;
}

// Checks each fragment and returns their combined payload.
octets reassemble(const cut_packet& cut, const frame& original, std::size_t mtu) {
    octets payload;
    const octets& whole = original.bytes;
    const std::size_t ip = original.ip;
    const unsigned start = half(whole, ip + 6) & 0x1fff;
    for (std::size_t i = 0; i < cut.fragments.size(); ++i) {
        const rte_mbuf& one = *cut.fragments[i];
        const octets bytes = testing::bytes_of(one);
        const std::size_t header = (bytes[ip] & 15u) * 4u;
        const bool last = i + 1 == cut.fragments.size();
        EXPECT_EQ(bytes.size(), one.pkt_len);
        EXPECT_EQ(octets(bytes.begin(), bytes.begin() + 14), octets(whole.begin(), whole.begin() + 14));
        EXPECT_EQ(half(bytes, ip + 2), bytes.size() - ip);
        EXPECT_LE(bytes.size() - ip, mtu);
        EXPECT_EQ(testing::reference_checksum(bytes.data() + ip, header), 0);
        // TOS, identification, TTL, protocol and addresses are those of the packet.
        EXPECT_EQ(bytes[ip + 1], whole[ip + 1]);
        EXPECT_EQ(half(bytes, ip + 4), half(whole, ip + 4));
        EXPECT_EQ(half(bytes, ip + 8), half(whole, ip + 8));
        EXPECT_TRUE(std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(ip + 12),
                               bytes.begin() + static_cast<std::ptrdiff_t>(ip + 20),
                               whole.begin() + static_cast<std::ptrdiff_t>(ip + 12)));
        const unsigned place = half(bytes, ip + 6);
        EXPECT_EQ(place & 0x1fff, start + payload.size() / 8);
        EXPECT_EQ((place & 0x2000) != 0, !last || (half(whole, ip + 6) & 0x2000) != 0);
        EXPECT_TRUE(last || (bytes.size() - ip - header) % 8 == 0);
        EXPECT_TRUE(last || bytes.size() - ip + 8 > mtu) << "a fragment is shorter than it may be";
        payload.insert(payload.end(), bytes.begin() + static_cast<std::ptrdiff_t>(ip + header), bytes.end());
    }
    return payload;
}

packet_pointer inspected_packet(packet_pointer packet) {
    EXPECT_EQ(inspect(*packet, testing::test_ingress()).what, verdict::forward_ipv4);
    return packet;
}

TEST(Fragment, TogetherTheyAreThePacket) {
    unsigned fragments = 0;
    for (const std::size_t payload : {1481, 1999, 2000, 2001, 5000, 8980})
        for (const std::uint16_t mtu : std::initializer_list<std::uint16_t>{576, 577, 583, 584, 1280, 1500})
            for (const unsigned place : {0x0000u, 0x2000u, 0x2010u, 0x0123u})
                for (const bool segmented : {false, true}) {
                    // A fragment that is not the last carries a multiple of eight bytes.
                    const std::size_t bytes = (place & 0x2000) != 0 ? payload / 8 * 8 : payload;
                    const frame one = of_payload(bytes, place).tagged(5);
                    const packet_pointer packet =
                        inspected_packet(segmented ? testing::make_segmented_packet(one.bytes, 700)
                                                   : testing::make_packet(one.bytes));
                    note_ingress_port(*packet, 2);
                    note_next_hop(*packet, next_hop{77});
                    const cut_packet made = cut(*packet, mtu);
                    ASSERT_EQ(made.fragments.size(),
                              (bytes + (mtu - 20u) / 8 * 8 - 1) / ((mtu - 20u) / 8 * 8));
                    EXPECT_EQ(reassemble(made, one, mtu), octets(one.bytes.begin() + 38, one.bytes.end()));
                    EXPECT_EQ(testing::bytes_of(*packet), one.bytes);
                    for (const packet_pointer& part : made.fragments) {
                        EXPECT_EQ(link_length(*part), tagged_length);
                        EXPECT_TRUE(is_ipv4(*part));
                        EXPECT_EQ(ingress_port(*part), 2);
                        EXPECT_EQ(vlan_of(*part), 5);
                        EXPECT_EQ(flow_hash(*part), flow_hash(*packet));
                        EXPECT_EQ(next_hop_of(*part), next_hop{77});
                        EXPECT_TRUE(segmented || part->nb_segs == 1);
                        ++fragments;
                    }
                }
    EXPECT_GT(fragments, 1000u);
}

TEST(Fragment, FragmentsOutliveThePacket) {
    for (const bool segmented : {false, true}) {
        const frame one = of_payload(3000, 0);
        packet_pointer packet = inspected_packet(segmented ? testing::make_segmented_packet(one.bytes, 700)
                                                           : testing::make_packet(one.bytes));
        const cut_packet made = cut(*packet, 1500);
        packet.reset();
        EXPECT_EQ(reassemble(made, one, 1500), octets(one.bytes.begin() + 34, one.bytes.end()));
    }
}

// RFC 791 3.1: options with the copied flag are in all fragments, the others in the first one.
TEST(Fragment, CopiesOptionsThatSaySo) {
    const struct {
        const char *all, *later;
    } cases[] = {
        {"01010101", ""},
        {"94040000", "94040000"},
        {"07070400000000 00", ""},
        {"5e04abcd 94040000", "94040000"},
        {"01 94040000 010101", "94040000"},
        {"94040000 07070400000000 9e03ab 0000", "94040000 9e03ab"},
    };
    for (const auto& one : cases)
        for (const bool segmented : {false, true}) {
            SCOPED_TRACE(one.all);
            frame whole = of_payload(2000, 0);
            whole.bytes[17] = 0; // with_options() only adds to the lower byte of the length
            whole = whole.with_options(one.all);
            const std::size_t options = testing::hex(one.all).size();
            const std::size_t length = 2020 + options;
            whole.bytes[16] = static_cast<std::uint8_t>(length >> 8);
            whole.bytes[17] = static_cast<std::uint8_t>(length);
            whole = whole.summed();
            const packet_pointer packet =
                inspected_packet(segmented ? testing::make_segmented_packet(whole.bytes, 700)
                                           : testing::make_packet(whole.bytes));
            const cut_packet made = cut(*packet, 600);
            ASSERT_EQ(made.fragments.size(), 4u);
            for (std::size_t i = 0; i < 4; ++i) {
                const octets bytes = testing::bytes_of(*made.fragments[i]);
                const std::size_t header = (bytes[14] & 15u) * 4u;
                octets got(bytes.begin() + 34, bytes.begin() + static_cast<std::ptrdiff_t>(14 + header));
                octets expected = testing::hex(i == 0 ? one.all : one.later);
                // Padding to whole words consists of end-of-list options.
                expected.resize((expected.size() + 3) / 4 * 4, 0);
                EXPECT_EQ(got, expected) << i;
            }
        }
}

TEST(Fragment, WhatMayNotBeCut) {
    const packet_pointer whole = inspected_packet(testing::make_packet(of_payload(2000, 0x4000).bytes));
    EXPECT_FALSE(may_fragment(*whole));
    EXPECT_EQ(cut(*whole, 1500).failure, drop_reason::too_big);
    const packet_pointer ipv6 = testing::make_packet(testing::ipv6_frame().bytes);
    ASSERT_EQ(inspect(*ipv6, testing::test_ingress()).what, verdict::forward_ipv6);
    EXPECT_FALSE(may_fragment(*ipv6));
    const packet_pointer good = inspected_packet(testing::make_packet(of_payload(2000, 0).bytes));
    EXPECT_TRUE(may_fragment(*good));
    EXPECT_EQ(cut(*good, 67).failure, drop_reason::too_big);
    // More fragments than `into` can hold.
    EXPECT_EQ(cut(*good, 100).failure, drop_reason::too_big);
    EXPECT_EQ(testing::bytes_of(*good), of_payload(2000, 0).bytes);
}

TEST(Fragment, NothingLiesBehindTheLongestDatagram) {
    // The last byte is at 8 * 8,000 + 20 + payload. DPDK would let an excessive number overflow into the
    // flags.
    const frame last = of_payload(1515, 0x2000 | 8000), beyond = of_payload(1516, 0x2000 | 8000);
    EXPECT_EQ(cut(*inspected_packet(testing::make_packet(last.bytes)), 576).fragments.size(), 3u);
    EXPECT_EQ(cut(*inspected_packet(testing::make_packet(beyond.bytes)), 576).failure, drop_reason::too_big);
}

TEST(Fragment, OutOfMemoryKeepsNothing) {
    const frame one = of_payload(5000, 0);
    rte_mempool* pool = testing::new_pool("few", 3, RTE_MBUF_DEFAULT_BUF_SIZE);
    ASSERT_NE(pool, nullptr);
    for (const bool segmented : {false, true}) {
        const packet_pointer packet = inspected_packet(
            segmented ? testing::make_segmented_packet(one.bytes, 700) : testing::make_packet(one.bytes));
        std::array<rte_mbuf*, most_fragments> into{};
        const auto made = fragment(*packet, 600, into, *pool);
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error(), drop_reason::no_memory);
        EXPECT_EQ(rte_mempool_avail_count(pool), 3u);
        EXPECT_EQ(testing::bytes_of(*packet), one.bytes);
    }
    rte_mempool_free(pool);
}

} // namespace
} // namespace fingerpost::router
