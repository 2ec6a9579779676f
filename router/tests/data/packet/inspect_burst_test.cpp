// The checks of whole bursts agree with inspect() on random frames: in their results, in the notes, and in
// the headers passed to later stages.
//
// FINGERPOST_EFFORT multiplies the number of bursts, FINGERPOST_SEED chooses them.
#include "router/packet/inspect_burst.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "router/tests/data/random_bursts.hpp"

namespace fingerpost::router {
namespace {

using testing::packet_pointer;
using testing::received_frame;

// The packets of a burst, sorted by inspect() one by one.
struct by_one {
    std::vector<const rte_mbuf*> forward;
    std::vector<const rte_mbuf*> host;
    std::vector<drop_reason> reasons;
};

by_one inspect_each(const std::vector<packet_pointer>& packets, const ingress& port) {
    by_one made;
    for (const packet_pointer& one : packets) {
        const inspected found = inspect(*one, port);
        if (found.what == verdict::drop)
            made.reasons.push_back(found.why);
        else
            (found.what == verdict::host ? made.host : made.forward).push_back(one.get());
    }
    return made;
}

void expect_same(const rte_mbuf& one, const rte_mbuf& other) {
    EXPECT_EQ(link_length(one), link_length(other));
    EXPECT_EQ(vlan_of(one), vlan_of(other));
    EXPECT_EQ(one.packet_type, other.packet_type);
    EXPECT_EQ(one.pkt_len, other.pkt_len);
    EXPECT_EQ(testing::bytes_of(one), testing::bytes_of(other));
}

void expect_right_headers(const burst_headers& headers, const std::vector<const rte_mbuf*>& forward) {
    std::uint32_t ipv4 = 0, longest = 0;
    bool plain = true;
    for (std::size_t i = 0; i < forward.size(); ++i) {
        const rte_mbuf& packet = *forward[i];
        ASSERT_EQ(headers.ip[i] - rte_pktmbuf_mtod(&packet, std::uint8_t*), link_length(packet));
        if (is_ipv4(packet)) {
            ++ipv4;
            EXPECT_EQ(headers.to4[i], ipv4_from(ipv4_header(packet).dst_addr));
        } else {
            EXPECT_EQ(headers.first6[i], top64(ipv6_from(ipv6_header(packet).dst_addr)));
            EXPECT_EQ(headers.low6[i], bottom64(ipv6_from(ipv6_header(packet).dst_addr)));
        }
        longest = std::max(longest, ip_length(packet));
        plain &= link_length(packet) == untagged_length && may_hop(packet);
    }
    EXPECT_EQ(headers.ipv4, ipv4);
    EXPECT_EQ(headers.longest, longest);
    EXPECT_EQ(headers.plain, plain);
}

void expect_agreement(const std::vector<received_frame>& frames, const ingress& port) {
    std::vector<packet_pointer> alone, together;
    std::vector<rte_mbuf*> burst;
    for (const received_frame& one : frames) {
        alone.push_back(one.as_packet());
        together.push_back(one.as_packet());
        burst.push_back(together.back().get());
    }
    const by_one wanted = inspect_each(alone, port);
    const auto sorted = std::make_unique<sorted_burst>();
    inspect_burst(burst, port, *sorted);
    ASSERT_EQ(sorted->forward_count, wanted.forward.size());
    ASSERT_EQ(sorted->host_count, wanted.host.size());
    EXPECT_EQ(std::vector(sorted->reasons.data(), sorted->reasons.data() + sorted->drop_count),
              wanted.reasons);
    std::vector<const rte_mbuf*> forward;
    for (std::size_t i = 0; i < wanted.forward.size(); ++i) {
        rte_mbuf& packet = *sorted->forward[i];
        forward.push_back(&packet);
        expect_same(packet, *wanted.forward[i]);
        note_flow(packet, port.flows);
        EXPECT_EQ(flow_hash(packet), flow_hash(*wanted.forward[i]));
    }
    for (std::size_t i = 0; i < wanted.host.size(); ++i)
        expect_same(*sorted->host[i], *wanted.host[i]);
    expect_right_headers(sorted->headers, forward);
    const auto read = std::make_unique<burst_headers>();
    read_headers(std::span(sorted->forward).first(sorted->forward_count), *read);
    expect_right_headers(*read, forward);
}

TEST(InspectBurst, AgreesWithInspectOnRandomFrames) {
    const ingress port = testing::test_ingress();
    testing::random_bursts bursts(testing::number_from("FINGERPOST_SEED", 1));
    for (std::uint64_t i = 0; i < 1500 * testing::number_from("FINGERPOST_EFFORT", 1); ++i) {
        ASSERT_NO_FATAL_FAILURE(expect_agreement(bursts.next(), port));
        ASSERT_FALSE(::testing::Test::HasFailure()) << "burst " << i;
    }
}

// Each byte of the headers takes each value in one frame of a group, so every limit of the group is tested.
TEST(InspectBurst, AgreesWithInspectOnEachByteOfTheHeaders) {
    const ingress port = testing::test_ingress();
    for (const testing::frame& plain : {testing::ipv4_frame(), testing::ipv6_frame()})
        for (std::size_t at = 0; at < 54; ++at)
            for (unsigned value = 0; value < 256; ++value) {
                std::vector<received_frame> frames(8, {plain});
                testing::frame& odd = frames[value % 8].in;
                odd.bytes[at] = static_cast<std::uint8_t>(value);
                if (odd.bytes[odd.ip] == 0x45 && at - 24 > 1)
                    odd = odd.summed();
                ASSERT_NO_FATAL_FAILURE(expect_agreement(frames, port));
                ASSERT_FALSE(::testing::Test::HasFailure()) << "byte " << at << " is " << value;
            }
}

} // namespace
} // namespace fingerpost::router
