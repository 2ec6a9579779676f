// Every rule of inspect(), with hand-written frames: one at a time, in bursts, and truncated at each byte.
#include <gtest/gtest.h>

#include <ostream>

#include "router/packet/inspect_burst.hpp"
#include "router/packet/notes.hpp"
#include "router/tests/data/packet/inspect_samples.hpp"

namespace fingerpost::router {

std::ostream& operator<<(std::ostream& out, const inspected& found) {
    switch (found.what) {
    case verdict::forward_ipv4:
        return out << "forward_ipv4";
    case verdict::forward_ipv6:
        return out << "forward_ipv6";
    case verdict::host:
        return out << "host";
    case verdict::drop:
        break;
    }
    return out << "drop: " << facts_of(found.why).name;
}

namespace {

using testing::drop;
using testing::frame;
using testing::host;
using testing::ipv4;
using testing::ipv4_frame;
using testing::ipv6;
using testing::ipv6_frame;
using testing::make_packet;
using testing::octets;
using testing::packet_pointer;
using testing::sample;

// The result of inspect_burst() for one packet, with its flow noted as later stages do.
inspected by_burst(rte_mbuf& packet, const ingress& port) {
    sorted_burst sorted;
    rte_mbuf* const burst[] = {&packet};
    inspect_burst(burst, port, sorted);
    EXPECT_EQ(sorted.forward_count + sorted.host_count + sorted.drop_count, 1u);
    if (sorted.forward_count == 1) {
        note_flow(packet, port.flows);
        return is_ipv4(packet) ? ipv4 : ipv6;
    }
    return sorted.host_count == 1 ? host : drop(sorted.reasons[0]);
}

void expect_same_notes(const rte_mbuf& a, const rte_mbuf& b) {
    EXPECT_EQ(link_length(a), link_length(b));
    EXPECT_EQ(vlan_of(a), vlan_of(b));
    EXPECT_EQ(a.packet_type, b.packet_type);
    EXPECT_EQ(flow_hash(a), flow_hash(b));
    EXPECT_EQ(testing::bytes_of(a), testing::bytes_of(b));
}

TEST(Inspect, EveryRule) {
    const ingress port = testing::test_ingress();
    for (const sample& one : testing::inspect_samples()) {
        SCOPED_TRACE(one.what);
        const packet_pointer alone = make_packet(one.in.bytes), in_burst = make_packet(one.in.bytes);
        EXPECT_EQ(inspect(*alone, port), one.out);
        EXPECT_EQ(by_burst(*in_burst, port), one.out);
        if (one.out.what == verdict::forward_ipv4 || one.out.what == verdict::forward_ipv6) {
            expect_same_notes(*alone, *in_burst);
            EXPECT_EQ(link_length(*alone), one.in.ip);
        }
    }
}

// A virtual router's MAC address, on a VLAN or untagged, is accepted like the port's own, but only there.
TEST(Inspect, FurtherMacsOfAPort) {
    ingress port = testing::test_ingress();
    port.others = {{{{0, 0, 0x5e, 0, 1, 1}}, 0}, {{{0, 0, 0x5e, 0, 1, 2}}, 5}};
    const frame plain = ipv4_frame().set(0, "00005e000101"), on_vlan = ipv6_frame().set(0, "00005e000102");
    const sample cases[] = {
        {"untagged", plain, ipv4},
        {"with a priority", plain.tagged(0xa000), ipv4},
        {"on a VLAN of another", plain.tagged(5), drop(drop_reason::not_for_us)},
        {"on its VLAN", on_vlan.tagged(5), ipv6},
        {"without its VLAN", on_vlan, drop(drop_reason::not_for_us)},
        {"on another VLAN", on_vlan.tagged(100), drop(drop_reason::not_for_us)},
        {"another station", plain.set(5, "03"), drop(drop_reason::not_for_us)},
        {"another station, first byte", plain.set(0, "02"), drop(drop_reason::not_for_us)},
        {"the port's own", ipv4_frame(), ipv4},
    };
    for (const sample& one : cases) {
        SCOPED_TRACE(one.what);
        const packet_pointer alone = make_packet(one.in.bytes), in_burst = make_packet(one.in.bytes);
        EXPECT_EQ(inspect(*alone, port), one.out);
        EXPECT_EQ(by_burst(*in_burst, port), one.out);
        if (one.out.what == verdict::forward_ipv4 || one.out.what == verdict::forward_ipv6)
            expect_same_notes(*alone, *in_burst);
    }
}

// A router forwards or examines only whole packets, so any truncation must lead to a drop, or to the host if
// the rest is no longer IP.
TEST(Inspect, EveryTruncationIsSeen) {
    const ingress port = testing::test_ingress();
    std::size_t cuts = 0;
    for (const sample& one : testing::inspect_samples()) {
        if (one.out.what == verdict::drop)
            continue;
        SCOPED_TRACE(one.what);
        packet_pointer whole = make_packet(one.in.bytes);
        ASSERT_EQ(inspect(*whole, port), one.out);
        const bool ip = is_ipv4(*whole) || is_ipv6(*whole);
        for (std::size_t length = 0; length < one.in.bytes.size(); ++length, ++cuts) {
            const octets cut = one.in.cut(length).bytes;
            const packet_pointer alone = make_packet(cut), in_burst = make_packet(cut);
            const inspected found = inspect(*alone, port);
            EXPECT_EQ(by_burst(*in_burst, port), found) << length;
            if (length < untagged_length || (ip && length < one.in.ip)) {
                EXPECT_EQ(found, drop(drop_reason::short_frame)) << length;
            } else if (ip && length < whole->pkt_len && one.what != "jumbo payload") {
                EXPECT_EQ(found, drop(drop_reason::truncated)) << length;
            }
        }
    }
    EXPECT_GT(cuts, 4000u);
}

TEST(Inspect, SegmentsDoNotMatterBehindTheHeaders) {
    const ingress port = testing::test_ingress();
    for (const frame& one : {ipv4_frame().padded(20), ipv6_frame().padded(20), ipv4_frame().tagged(5)}) {
        const packet_pointer whole = make_packet(one.bytes);
        const inspected expected = inspect(*whole, port);
        for (std::size_t first = one.ip + 48; first < one.bytes.size(); ++first) {
            const packet_pointer parts = testing::make_segmented_packet(one.bytes, first);
            EXPECT_EQ(by_burst(*parts, port), expected);
            EXPECT_EQ(testing::bytes_of(*parts), testing::bytes_of(*whole));
            EXPECT_EQ(parts->nb_segs, parts->next == nullptr ? 1 : 2);
            EXPECT_EQ(flow_hash(*parts), flow_hash(*whole));
        }
        for (std::size_t first = 0; first < one.ip + 20; ++first) {
            const packet_pointer parts = testing::make_segmented_packet(one.bytes, first);
            EXPECT_EQ(by_burst(*parts, port).what, verdict::drop) << first;
        }
    }
}

TEST(Inspect, TrimsToThePacket) {
    const ingress port = testing::test_ingress();
    for (const frame& one :
         {ipv4_frame(), ipv6_frame(), ipv6_frame().tagged(100), ipv4_frame().with_options("01010101"),
          ipv4_frame().ip_set(16, "e0000001").summed()})
        for (const std::size_t padding : {1, 6, 1000}) {
            const packet_pointer packet = make_packet(one.padded(padding).bytes);
            inspect(*packet, port);
            EXPECT_EQ(testing::bytes_of(*packet), one.bytes);
            EXPECT_EQ(packet->pkt_len, one.bytes.size());
        }
}

TEST(Inspect, TagTakenAwayByTheCard) {
    const ingress port = testing::test_ingress();
    const struct {
        std::uint16_t tci;
        inspected out;
        std::uint16_t vlan;
    } cases[] = {{5, ipv4, 5},
                 {0xe005, ipv4, 5},
                 {0, ipv4, 0},
                 {0x2000, ipv4, 0},
                 {6, drop(drop_reason::unknown_vlan), 0}};
    for (const auto& one : cases)
        for (const bool burst : {false, true}) {
            const packet_pointer packet = make_packet(ipv4_frame().bytes);
            packet->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
            packet->vlan_tci = one.tci;
            EXPECT_EQ(burst ? by_burst(*packet, port) : inspect(*packet, port), one.out) << one.tci;
            if (one.out.what != verdict::drop) {
                EXPECT_EQ(vlan_of(*packet), one.vlan);
                EXPECT_EQ(link_length(*packet), untagged_length);
            }
        }
    const packet_pointer twice = make_packet(ipv4_frame().tagged(5).bytes);
    twice->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
    twice->vlan_tci = 5;
    EXPECT_EQ(inspect(*twice, port), host);
}

// The value that the driver left in vlan_tci has no meaning without its flag.
TEST(Inspect, UntaggedFramesForgetOldTags) {
    const ingress port = testing::test_ingress();
    for (const bool burst : {false, true}) {
        const packet_pointer packet = make_packet(ipv6_frame().bytes);
        packet->vlan_tci = 6;
        EXPECT_EQ(burst ? by_burst(*packet, port) : inspect(*packet, port), ipv6);
        EXPECT_EQ(vlan_of(*packet), 0);
    }
}

TEST(Inspect, BelievesTheCardOnlyWhenItSaysGood) {
    const ingress port = testing::test_ingress();
    const frame bad = ipv4_frame().ip_set(10, "1234");
    const struct {
        std::uint64_t flags;
        inspected of_bad;
    } cases[] = {{RTE_MBUF_F_RX_IP_CKSUM_UNKNOWN, drop(drop_reason::bad_ip_checksum)},
                 {RTE_MBUF_F_RX_IP_CKSUM_BAD, drop(drop_reason::bad_ip_checksum)},
                 {RTE_MBUF_F_RX_IP_CKSUM_NONE, drop(drop_reason::bad_ip_checksum)},
                 {RTE_MBUF_F_RX_IP_CKSUM_GOOD, ipv4}};
    for (const auto& one : cases)
        for (const bool burst : {false, true}) {
            const packet_pointer wrong = make_packet(bad.bytes), right = make_packet(ipv4_frame().bytes);
            wrong->ol_flags |= one.flags;
            right->ol_flags |= one.flags;
            EXPECT_EQ(burst ? by_burst(*wrong, port) : inspect(*wrong, port), one.of_bad);
            EXPECT_EQ(burst ? by_burst(*right, port) : inspect(*right, port), ipv4);
        }
}

// Both functions accept every possible header checksum exactly where it is correct.
TEST(Inspect, EveryHeaderChecksum) {
    const ingress port = testing::test_ingress();
    const packet_pointer packet = make_packet(ipv4_frame().bytes);
    auto* header = rte_pktmbuf_mtod_offset(packet.get(), std::uint8_t*, 14);
    const auto put = [&](std::size_t at, unsigned value) {
        header[at] = static_cast<std::uint8_t>(value >> 8);
        header[at + 1] = static_cast<std::uint8_t>(value);
    };
    for (const unsigned destination : {0x0101u, 0x6407u, 0xffffu})
        for (unsigned identification = 0; identification <= 0xffff; ++identification) {
            put(18, destination);
            put(4, identification);
            put(10, 0);
            const unsigned right = testing::reference_checksum(header, 20);
            put(10, right);
            ASSERT_EQ(by_burst(*packet, port), ipv4) << identification;
            ASSERT_EQ(inspect(*packet, port), ipv4) << identification;
            for (const unsigned wrong : {right ^ 1, right ^ 0x8000, right ^ 0x0101}) {
                put(10, wrong);
                ASSERT_EQ(by_burst(*packet, port), drop(drop_reason::bad_ip_checksum));
                ASSERT_EQ(inspect(*packet, port), drop(drop_reason::bad_ip_checksum));
            }
        }
}

TEST(Inspect, KeepsTheHashOfTheCard) {
    const ingress port = testing::test_ingress();
    for (const frame& one : {ipv4_frame(), ipv6_frame()})
        for (const bool burst : {false, true}) {
            const packet_pointer packet = make_packet(one.bytes);
            packet->ol_flags |= RTE_MBUF_F_RX_RSS_HASH;
            packet->hash.rss = 0x12345678;
            burst ? by_burst(*packet, port) : inspect(*packet, port);
            EXPECT_EQ(flow_hash(*packet), 0x12345678u);
        }
}

// A full burst of all kinds keeps the order within each kind.
TEST(InspectBurst, SortsInOrder) {
    const ingress port = testing::test_ingress();
    const std::vector<sample> samples = testing::inspect_samples();
    for (std::size_t start = 0; start < samples.size(); start += 3)
        for (const std::size_t size : {0, 1, 7, 8, 9, 31, 64}) {
            std::vector<packet_pointer> packets;
            std::vector<rte_mbuf*> burst, forward, hosts, dropped;
            for (std::size_t i = 0; i < size; ++i) {
                const sample& one = samples[(start + i) % samples.size()];
                packets.push_back(make_packet(one.in.bytes));
                burst.push_back(packets.back().get());
                (one.out == host                 ? hosts
                 : one.out.what == verdict::drop ? dropped
                                                 : forward)
                    .push_back(burst.back());
            }
            sorted_burst sorted;
            inspect_burst(burst, port, sorted);
            EXPECT_EQ(forward,
                      std::vector(sorted.forward.data(), sorted.forward.data() + sorted.forward_count));
            EXPECT_EQ(hosts, std::vector(sorted.host.data(), sorted.host.data() + sorted.host_count));
            EXPECT_EQ(dropped, std::vector(sorted.dropped.data(), sorted.dropped.data() + sorted.drop_count));
        }
}

} // namespace
} // namespace fingerpost::router
