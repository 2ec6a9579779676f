// The parts of a packet that the flow hash covers, those that it excludes, and the spread of flows.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "router/packet/notes.hpp"
#include "router/tests/data/packets.hpp"

namespace fingerpost::router {
namespace {

using testing::frame;
using testing::ipv4_frame;
using testing::ipv6_frame;

std::uint32_t hash_of(const frame& one) {
    static const ingress port = testing::test_ingress();
    const testing::packet_pointer packet = testing::make_packet(one.bytes);
    const inspected found = inspect(*packet, port);
    EXPECT_TRUE(found.what == verdict::forward_ipv4 || found.what == verdict::forward_ipv6);
    return flow_hash(*packet);
}

frame with_byte(const frame& one, std::size_t offset, std::uint8_t value) {
    frame changed = one;
    changed.bytes[one.ip + offset] = value;
    return changed;
}

TEST(FlowHash, CoversAddressesProtocolAndPorts) {
    for (const frame& one : {ipv4_frame(), ipv4_frame().with_options("01010101")}) {
        const std::size_t ports = one.bytes.size() == ipv4_frame().bytes.size() ? 20 : 24;
        for (const std::size_t offset : {std::size_t{13}, std::size_t{15}, std::size_t{17}, std::size_t{19},
                                         ports, ports + 1, ports + 2, ports + 3})
            EXPECT_NE(hash_of(one), hash_of(with_byte(one, offset, 0x55).summed())) << offset;
        EXPECT_NE(hash_of(one), hash_of(one.ip_set(9, "06").summed()));
    }
    for (const std::size_t offset : {8, 9, 15, 16, 23, 25, 31, 32, 39, 40, 41, 42, 43})
        EXPECT_NE(hash_of(ipv6_frame()), hash_of(with_byte(ipv6_frame(), offset, 0x25))) << offset;
    EXPECT_NE(hash_of(ipv6_frame()), hash_of(ipv6_frame().ip_set(6, "06")));
}

TEST(FlowHash, LeavesOutWhatChangesWithinAFlow) {
    const std::uint32_t hash = hash_of(ipv4_frame());
    for (const std::size_t offset : {1, 4, 5, 8})
        EXPECT_EQ(hash, hash_of(with_byte(ipv4_frame(), offset, 0x77).summed())) << offset;
    EXPECT_EQ(hash, hash_of(ipv4_frame().ip_set(6, "4000").summed()));
    EXPECT_EQ(hash, hash_of(ipv4_frame().tagged(5)));
    EXPECT_EQ(hash, hash_of(ipv4_frame().padded(3)));
    EXPECT_EQ(hash, hash_of(ipv4_frame().with_options("01010101")));
    for (const std::size_t offset : {1, 2, 3, 7, 44, 60})
        EXPECT_EQ(hash_of(ipv6_frame()), hash_of(with_byte(ipv6_frame(), offset, 0x77))) << offset;
}

// All fragments of a packet have the same hash, whatever bytes are in place of the ports.
TEST(FlowHash, FragmentsStayTogether) {
    const frame first = ipv4_frame().ip_set(6, "2000").summed();
    const frame middle = ipv4_frame().ip_set(6, "2003").ip_set(20, "99999999").summed();
    const frame last = ipv4_frame().ip_set(6, "0006").ip_set(20, "88888888").summed();
    EXPECT_EQ(hash_of(first), hash_of(middle));
    EXPECT_EQ(hash_of(first), hash_of(last));
    const frame first6 = ipv6_frame().with_extension(44, "0000 0001 00000001");
    EXPECT_EQ(hash_of(first6), hash_of(first6.ip_set(42, "0008").ip_set(48, "99999999")));
}

// Bytes after the packet do not count as its ports.
TEST(FlowHash, ShortPayloadHasNoPorts) {
    const frame header_alone = ipv4_frame().ip_set(2, "0014").summed();
    EXPECT_EQ(hash_of(header_alone), hash_of(header_alone.ip_set(20, "99999999")));
    const frame header_alone6 = ipv6_frame().ip_set(4, "0003");
    EXPECT_EQ(hash_of(header_alone6), hash_of(header_alone6.ip_set(40, "99999999")));
}

TEST(FlowHash, KeysDiffer) {
    const testing::packet_pointer packet = testing::make_packet(ipv4_frame().bytes);
    const auto& header = *rte_pktmbuf_mtod_offset(packet.get(), const rte_ipv4_hdr*, 14);
    EXPECT_EQ(flow_key(1).of_ipv4(header, 46), flow_key(1).of_ipv4(header, 46));
    EXPECT_NE(flow_key(1).of_ipv4(header, 46), flow_key(2).of_ipv4(header, 46));
    EXPECT_NE(flow_key().of_ipv4(header, 46), flow_key().of_ipv4(header, 46));
}

// Flows that differ by one in a port or an address, as in a scan: 64 shares with an average of 256 flows
// deviate from it by less than 1/3.
TEST(FlowHash, SpreadsNeighbouringFlows) {
    const frame bases[] = {ipv4_frame(), ipv6_frame()};
    const std::size_t places[2][2] = {{18, 20}, {38, 40}};
    for (int family = 0; family < 2; ++family)
        for (const std::size_t place : places[family]) {
            std::array<unsigned, 64> low{}, high{};
            for (unsigned i = 0; i < 64 * 256; ++i) {
                frame one = bases[family];
                one.bytes[one.ip + place] = static_cast<std::uint8_t>(i >> 8);
                one.bytes[one.ip + place + 1] = static_cast<std::uint8_t>(i);
                const std::uint32_t hash = hash_of(family == 0 ? one.summed() : one);
                ++low[hash % 64];
                ++high[hash >> 26];
            }
            for (const auto& shares : {low, high}) {
                EXPECT_GT(*std::ranges::min_element(shares), 170u) << place;
                EXPECT_LT(*std::ranges::max_element(shares), 342u) << place;
            }
        }
}

} // namespace
} // namespace fingerpost::router
