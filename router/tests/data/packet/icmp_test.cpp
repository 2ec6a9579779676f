// ICMP errors byte by byte, and packets that must not cause one.
#include <gtest/gtest.h>

#include <algorithm>

#include "router/packet/icmp.hpp"
#include "router/packet/notes.hpp"
#include "router/tests/data/packets.hpp"

namespace fingerpost::router {
namespace {

using testing::frame;
using testing::ipv4_frame;
using testing::ipv6_frame;
using testing::octets;
using testing::packet_pointer;

constexpr ipv4_address router4{0xc00002fe};
constexpr ipv6_address router6{u128{0x20010db800000000} << 64 | 0xfe};

packet_pointer inspected_packet(const frame& one) {
    packet_pointer packet = testing::make_packet(one.bytes);
    const inspected found = inspect(*packet, testing::test_ingress());
    EXPECT_NE(found.what, verdict::drop);
    return packet;
}

packet_pointer message_about(const rte_mbuf& packet, icmp_error what, std::uint16_t mtu) {
    auto made = is_ipv4(packet) ? make_icmpv4_error(packet, what, mtu, router4, testing::test_pool())
                                : make_icmpv6_error(packet, what, mtu, router6, testing::test_pool());
    return packet_pointer(made ? *made : nullptr);
}

void put_sum(octets& bytes, std::size_t at, std::uint16_t sum) {
    bytes[at] = static_cast<std::uint8_t>(sum >> 8);
    bytes[at + 1] = static_cast<std::uint8_t>(sum);
}

void append(octets& to, const octets& more, std::size_t most = SIZE_MAX) {
    to.insert(to.end(), more.begin(),
              more.begin() + static_cast<std::ptrdiff_t>(std::min(most, more.size())));
}

// The message that RFC 792 and RFC 4443 define, quoting an IP packet. `icmp` is its first 8 bytes with
// checksum 0. The IPv4 identification is 0.
octets expected4(const octets& offender, std::string_view icmp, std::string_view tos) {
    octets body = testing::hex(icmp);
    append(body, offender, 548);
    put_sum(body, 2, testing::reference_checksum(body.data(), body.size()));
    octets all = testing::hex("45 00 0000 0000 0000 40 01 0000 c00002fe");
    all[1] = testing::hex(tos)[0];
    put_sum(all, 2, static_cast<std::uint16_t>(20 + body.size()));
    append(all, {offender.begin() + 12, offender.begin() + 16});
    put_sum(all, 10, testing::reference_checksum(all.data(), 20));
    append(all, body);
    return all;
}

octets expected6(const octets& offender, std::string_view icmp) {
    octets body = testing::hex(icmp);
    append(body, offender, 1232);
    octets addresses = testing::hex("20010db80000000000000000000000fe");
    append(addresses, {offender.begin() + 8, offender.begin() + 24});
    octets summed = addresses;
    append(summed, {0, 0, static_cast<std::uint8_t>(body.size() >> 8), static_cast<std::uint8_t>(body.size()),
                    0, 0, 0, 58});
    append(summed, body);
    put_sum(body, 2, testing::reference_checksum(summed.data(), summed.size()));
    octets all = testing::hex("60000000 0000 3a 40");
    put_sum(all, 4, static_cast<std::uint16_t>(body.size()));
    append(all, addresses);
    append(all, body);
    return all;
}

// The message from its IP header on. The IPv4 identification is set to 0 after the header checksum has been
// verified.
octets message_bytes(const rte_mbuf& message) {
    octets all = testing::bytes_of(message);
    all.erase(all.begin(), all.begin() + 14);
    if (all[0] >> 4 == 4) {
        EXPECT_EQ(testing::reference_checksum(all.data(), 20), 0);
        all[4] = all[5] = all[10] = all[11] = 0;
        put_sum(all, 10, testing::reference_checksum(all.data(), 20));
    }
    return all;
}

octets ip_bytes(const frame& one) {
    return {one.bytes.begin() + static_cast<std::ptrdiff_t>(one.ip), one.bytes.end()};
}

struct kind {
    icmp_error what;
    const char* ipv4;
    const char* ipv6;
};
constexpr kind kinds[] = {
    {icmp_error::time_exceeded, "0b00 0000 00000000", "0300 0000 00000000"},
    {icmp_error::no_route, "0300 0000 00000000", "0100 0000 00000000"},
    {icmp_error::host_unreachable, "0301 0000 00000000", "0103 0000 00000000"},
    {icmp_error::prohibited, "030d 0000 00000000", "0101 0000 00000000"},
    {icmp_error::too_big, "0304 0000 00000578", "0200 0000 00000578"},
};

// IPv4 packets with total length 20 to 1500, and IPv6 packets with the same payload.
frame of_length(const frame& base, std::size_t payload) {
    frame one = base;
    const bool ipv4 = one.bytes[one.ip] >> 4 == 4;
    const std::size_t header = ipv4 ? 20 : 40;
    one.bytes.resize(one.ip + header + payload);
    for (std::size_t i = 8; i < payload; ++i)
        one.bytes[one.ip + header + i] = static_cast<std::uint8_t>(i * 7);
    const auto length = static_cast<std::uint16_t>(ipv4 ? header + payload : payload);
    put_sum(one.bytes, one.ip + (ipv4 ? 2 : 4), length);
    return ipv4 ? one.summed() : one;
}

TEST(Icmp, EveryKindAtEveryLength) {
    for (const kind& one : kinds)
        for (const std::size_t payload : {0, 1, 7, 8, 18, 19, 527, 528, 529, 1191, 1192, 1193, 1460}) {
            const frame four = of_length(ipv4_frame(), payload), six = of_length(ipv6_frame(), payload);
            const packet_pointer about4 = inspected_packet(four), about6 = inspected_packet(six.tagged(5));
            const packet_pointer error4 = message_about(*about4, one.what, 1400);
            const packet_pointer error6 = message_about(*about6, one.what, 1400);
            ASSERT_TRUE(error4 && error6);
            EXPECT_EQ(message_bytes(*error4), expected4(ip_bytes(four), one.ipv4, "c0")) << payload;
            EXPECT_EQ(message_bytes(*error6), expected6(ip_bytes(six), one.ipv6)) << payload;
            EXPECT_LE(ip_length(*error4), 576u);
            EXPECT_LE(ip_length(*error6), 1280u);
            EXPECT_EQ(testing::bytes_of(*about4), four.bytes);
        }
}

// Reference messages made by scapy 2.5.
TEST(Icmp, AsScapyMakesThem) {
    const std::string quoted4 = "4500002e1234000040117c4fc0000201c633640710002000001a0000"
                                "000102030405060708090a0b0c0d0e0f1011";
    const std::string quoted6 =
        "60012345001a114020010db800000000000000000000000120010db8000100000000000000000007"
        "10002000001a0000000102030405060708090a0b0c0d0e0f1011";
    const std::string header6 =
        "60000000004a3a4020010db80000000000000000000000fe20010db8000000000000000000000001";
    const packet_pointer about4 = inspected_packet(ipv4_frame()), about6 = inspected_packet(ipv6_frame());
    const auto bytes = [&](const packet_pointer& about, icmp_error what) {
        return message_bytes(*message_about(*about, what, 1400));
    };
    EXPECT_EQ(bytes(about4, icmp_error::time_exceeded),
              testing::hex("45c0004a000000004001f4f3c00002fec0000201 0b007c9400000000" + quoted4));
    EXPECT_EQ(bytes(about4, icmp_error::too_big),
              testing::hex("45c0004a000000004001f4f3c00002fec0000201 03047f1800000578" + quoted4));
    EXPECT_EQ(bytes(about6, icmp_error::time_exceeded), testing::hex(header6 + "0300378300000000" + quoted6));
    EXPECT_EQ(bytes(about6, icmp_error::too_big), testing::hex(header6 + "0200330b00000578" + quoted6));
    EXPECT_EQ(bytes(about6, icmp_error::host_unreachable),
              testing::hex(header6 + "0103398000000000" + quoted6));
}

TEST(Icmp, NotesAndLinkHeader) {
    const frame tagged = ipv4_frame().tagged(100);
    const packet_pointer about = testing::make_segmented_packet(tagged.bytes, 50);
    note_ingress_port(*about, 3);
    ASSERT_EQ(inspect(*about, testing::test_ingress()).what, verdict::forward_ipv4);
    const packet_pointer error = message_about(*about, icmp_error::time_exceeded, 0);
    ASSERT_TRUE(error);
    EXPECT_EQ(message_bytes(*error), expected4(ip_bytes(tagged), kinds[0].ipv4, "c0"));
    EXPECT_TRUE(is_ipv4(*error));
    EXPECT_EQ(ingress_port(*error), 3);
    EXPECT_EQ(vlan_of(*error), 100);
    EXPECT_EQ(link_length(*error), untagged_length);
    EXPECT_EQ(flow_hash(*error), flow_hash(*about));
    const octets all = testing::bytes_of(*error);
    EXPECT_EQ(octets(all.begin(), all.begin() + 14), testing::hex("000000000000 000000000000 0800"));
}

TEST(Icmp, KeepsTheTypeOfServiceUnderItsPrecedence) {
    const struct {
        const char *given, *sent;
    } cases[] = {{"00", "c0"}, {"10", "d0"}, {"b8", "d8"}, {"e1", "c0"}, {"ff", "de"}};
    for (const auto& one : cases) {
        const frame about = ipv4_frame().ip_set(1, one.given).summed();
        const packet_pointer error = message_about(*inspected_packet(about), icmp_error::no_route, 0);
        ASSERT_TRUE(error);
        EXPECT_EQ(message_bytes(*error), expected4(ip_bytes(about), kinds[1].ipv4, one.sent));
    }
}

frame icmp4(unsigned type) {
    frame one = ipv4_frame().ip_set(9, "01").summed();
    one.bytes[34] = static_cast<std::uint8_t>(type);
    return one;
}
frame icmp6(unsigned type) {
    frame one = ipv6_frame().ip_set(6, "3a");
    one.bytes[54] = static_cast<std::uint8_t>(type);
    return one;
}

TEST(Icmp, NoErrorsAboutErrors) {
    unsigned answered4 = 0, answered6 = 0;
    for (unsigned type = 0; type < 256; ++type) {
        const bool query4 = type == 0 || type == 8 || (type >= 13 && type <= 18);
        EXPECT_EQ(may_answer(*inspected_packet(icmp4(type))), query4) << type;
        EXPECT_EQ(may_answer(*inspected_packet(icmp4(type).with_options("01010101"))), query4) << type;
        const bool query6 = type >= 128 && type != 137;
        const frame six = icmp6(type);
        for (const frame& one :
             {six, six.with_extension(60, "0000 0104 00000000"), six.with_extension(44, "0000 0001 00000001"),
              six.with_extension(51, "0001 0000 00000001 00000001"),
              six.with_extension(60, "0000 0104 00000000").with_extension(43, "0000000000000000")})
            EXPECT_EQ(may_answer(*inspected_packet(one)), query6) << type;
        answered4 += query4;
        answered6 += query6;
    }
    EXPECT_EQ(answered4, 8u);
    EXPECT_EQ(answered6, 127u);
}

TEST(Icmp, NoErrorsAboutMessagesWithoutAType) {
    EXPECT_FALSE(may_answer(*inspected_packet(icmp4(8).ip_set(2, "0014").summed())));
    EXPECT_TRUE(may_answer(*inspected_packet(icmp4(8).ip_set(2, "0015").summed())));
    EXPECT_FALSE(may_answer(*inspected_packet(icmp6(128).ip_set(4, "0000"))));
    EXPECT_TRUE(may_answer(*inspected_packet(icmp6(128).ip_set(4, "0001"))));
}

TEST(Icmp, NoErrorsAboutLaterFragments) {
    EXPECT_TRUE(may_answer(*inspected_packet(ipv4_frame().ip_set(6, "2000").summed())));
    EXPECT_FALSE(may_answer(*inspected_packet(ipv4_frame().ip_set(6, "2001").summed())));
    EXPECT_FALSE(may_answer(*inspected_packet(ipv4_frame().ip_set(6, "1000").summed())));
    // ICMPv6 has no such rule, and the contents of a later fragment are unknown.
    EXPECT_TRUE(may_answer(*inspected_packet(icmp6(1).with_extension(44, "0000 0008 00000001"))));
}

TEST(Icmp, NoErrorsToOrAboutMany) {
    const auto answered = [](const frame& one) {
        const packet_pointer packet = testing::make_packet(one.bytes);
        inspect(*packet, testing::test_ingress());
        return may_answer(*packet);
    };
    EXPECT_TRUE(answered(ipv4_frame()));
    for (const char* mac : {"ffffffffffff", "01005e000001"})
        EXPECT_FALSE(answered(ipv4_frame().set(0, mac)));
    EXPECT_FALSE(answered(ipv6_frame().set(0, "333300000001")));
    for (const char* source : {"00000000", "7f000001", "e0000001", "f0000000", "ffffffff"})
        EXPECT_FALSE(answered(ipv4_frame().ip_set(12, source).summed())) << source;
    for (const char* destination : {"e0000001", "ffffffff", "7f000001"})
        EXPECT_FALSE(answered(ipv4_frame().ip_set(16, destination).summed())) << destination;
    for (const char* source : {"00000000000000000000000000000000", "00000000000000000000000000000001",
                               "ff020000000000000000000000000001"})
        EXPECT_FALSE(answered(ipv6_frame().ip_set(8, source))) << source;
    EXPECT_FALSE(answered(ipv6_frame().ip_set(24, "ff0e0000000000000000000000000001")));
    EXPECT_TRUE(answered(ipv6_frame().ip_set(8, "fe800000000000000000000000000001")));
}

TEST(Icmp, WhatADropIsToldAs) {
    unsigned told = 0;
    for (const drop_reason_facts& one : drop_reasons) {
        const auto four = error_about(one.reason, true), six = error_about(one.reason, false);
        ASSERT_EQ(four.has_value(), six.has_value()) << one.name;
        told += four.has_value();
        const bool differs = one.reason == drop_reason::unreachable;
        EXPECT_EQ(four, differs ? icmp_error::host_unreachable : six) << one.name;
    }
    EXPECT_EQ(told, 6u);
    EXPECT_EQ(error_about(drop_reason::blackhole, true), std::nullopt);
    EXPECT_EQ(error_about(drop_reason::ttl_expired, false), icmp_error::time_exceeded);
    EXPECT_EQ(error_about(drop_reason::unreachable, false), icmp_error::no_route);
    EXPECT_EQ(error_about(drop_reason::no_route, true), icmp_error::no_route);
    EXPECT_EQ(error_about(drop_reason::prohibit, false), icmp_error::prohibited);
    EXPECT_EQ(error_about(drop_reason::unresolved_neighbour, true), icmp_error::host_unreachable);
    EXPECT_EQ(error_about(drop_reason::too_big, false), icmp_error::too_big);
}

TEST(Icmp, SaysWhyThereIsNone) {
    const packet_pointer error = inspected_packet(icmp4(11));
    const auto forbidden =
        make_icmpv4_error(*error, icmp_error::time_exceeded, 0, router4, testing::test_pool());
    ASSERT_FALSE(forbidden);
    EXPECT_EQ(forbidden.error(), icmp_silence::forbidden);
    const packet_pointer about4 = inspected_packet(ipv4_frame()), about6 = inspected_packet(ipv6_frame());
    rte_mempool* small = testing::new_pool("small", 15, RTE_PKTMBUF_HEADROOM + 64);
    ASSERT_NE(small, nullptr);
    // The messages do not fit into its buffers, and no buffer is lost.
    for (int i = 0; i < 40; ++i) {
        const auto four = make_icmpv4_error(*about4, icmp_error::no_route, 0, router4, *small);
        const auto six = make_icmpv6_error(*about6, icmp_error::no_route, 0, router6, *small);
        ASSERT_FALSE(four || six);
        EXPECT_EQ(four.error(), icmp_silence::no_memory);
        EXPECT_EQ(six.error(), icmp_silence::no_memory);
    }
    EXPECT_EQ(rte_mempool_avail_count(small), 15u);
    std::vector<rte_mbuf*> all(15);
    ASSERT_EQ(rte_pktmbuf_alloc_bulk(small, all.data(), 15), 0);
    EXPECT_FALSE(make_icmpv4_error(*about4, icmp_error::no_route, 0, router4, *small));
    rte_pktmbuf_free_bulk(all.data(), 15);
    rte_mempool_free(small);
}

} // namespace
} // namespace fingerpost::router
