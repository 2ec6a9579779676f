// Every kind of netlink message, from hand-written bytes, and the same bytes damaged in every way.
#include "router/routes/netlink/netlink_message.hpp"

#include <cstring>
#include <memory>
#include <random>

#include <gtest/gtest.h>
#include <net/if.h>

#include "router/routes/netlink/netlink_request.hpp"
#include "router/tests/routes/netlink_bytes.hpp"
#include "router/tests/routes/recording_sink.hpp"

namespace fingerpost::router {
namespace {

using namespace testing;

template <class T>
T only(const bytes& message) {
    const auto decoded = decode_netlink(message);
    EXPECT_TRUE(decoded) << (decoded ? "" : decoded.error().reason);
    if (!decoded || decoded->size() != 1 || !std::holds_alternative<T>(decoded->front().body)) {
        ADD_FAILURE() << "not one message of this kind";
        return {};
    }
    return std::get<T>(decoded->front().body);
}

netlink_error refused(const bytes& message) {
    const auto decoded = decode_netlink(message);
    EXPECT_FALSE(decoded);
    return decoded ? netlink_error{} : decoded.error();
}

// 192.0.2.0/24 via 10.0.0.1 dev 2, byte by byte.
bytes plain_route() {
    return raw({60, 0,  0, 0, 24,  0,  0x01, 0x05, 7, 0, 0, 0,
                0,  0,  0, 0,                                  // length, RTM_NEWROUTE, REPLACE, sequence
                2,  24, 0, 0, 254, 11, 0,    1,    0, 0, 0, 0, // AF_INET/24, main, zebra, unicast
                8,  0,  1, 0, 192, 0,  2,    0,                // RTA_DST
                8,  0,  5, 0, 10,  0,  0,    1,                // RTA_GATEWAY
                8,  0,  4, 0, 2,   0,  0,    0,                // RTA_OIF
                8,  0,  6, 0, 20,  0,  0,    0});              // RTA_PRIORITY
}

bytes ipv6_multipath() {
    message_bytes message(RTM_NEWROUTE, route_header(AF_INET6, 32));
    message.attribute(RTA_DST, {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    message.attribute(RTA_TABLE, std::uint32_t{1000});
    message.nest(RTA_MULTIPATH, [&] {
        message.hop(3, 1, [&] {
            message.attribute(RTA_GATEWAY, {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
        });
        message.hop(4, 256, [&] {
            message.attribute(RTA_GATEWAY, {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2});
        });
        message.hop(5, 7, [&] { message.attribute(RTA_ENCAP, {0, 0, 0, 0}); });
    });
    return message.done();
}

bytes ipv4_via_ipv6() {
    message_bytes message(RTM_NEWROUTE, route_header(AF_INET, 8));
    message.attribute(RTA_DST, {20, 0, 0, 0});
    message.attribute(RTA_VIA, {10, 0, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9});
    message.attribute(RTA_OIF, std::uint32_t{6});
    return message.done();
}

bytes hop_group() {
    message_bytes message(RTM_NEWNEXTHOP, hop_header());
    message.attribute(NHA_ID, std::uint32_t{40});
    message.attribute(NHA_GROUP, {2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 9, 0, 0, 0, 255, 1, 0, 0});
    return message.done();
}

bytes hop_single() {
    message_bytes message(RTM_NEWNEXTHOP, hop_header(AF_INET));
    message.attribute(NHA_ID, std::uint32_t{2});
    message.attribute(NHA_GATEWAY, {10, 0, 0, 2});
    message.attribute(NHA_OIF, std::uint32_t{3});
    return message.done();
}

bytes vlan_link() {
    ifinfomsg header{};
    header.ifi_index = 7;
    header.ifi_flags = IFF_UP | (1U << 16);
    message_bytes message(RTM_NEWLINK, header);
    message.text(IFLA_IFNAME, "eth0.5");
    message.attribute(IFLA_ADDRESS, {2, 0, 0, 0, 0, 7});
    message.attribute(IFLA_MTU, std::uint32_t{1496});
    message.attribute(IFLA_LINK, std::uint32_t{4});
    message.nest(IFLA_LINKINFO | NLA_F_NESTED, [&] {
        message.text(IFLA_INFO_KIND, "vlan");
        message.nest(IFLA_INFO_DATA | NLA_F_NESTED,
                     [&] { message.attribute(IFLA_VLAN_ID, std::uint16_t{5}); });
    });
    return message.done();
}

ifaddrmsg address_header(int family, unsigned length, unsigned index, unsigned flags = 0) {
    ifaddrmsg header{};
    header.ifa_family = static_cast<unsigned char>(family);
    header.ifa_prefixlen = static_cast<unsigned char>(length);
    header.ifa_flags = static_cast<unsigned char>(flags);
    header.ifa_index = index;
    return header;
}

bytes ipv4_address_with_peer() {
    return message_bytes(RTM_NEWADDR, address_header(AF_INET, 32, 3))
        .attribute(IFA_ADDRESS, {10, 0, 0, 2})
        .attribute(IFA_LOCAL, {10, 0, 0, 1})
        .text(IFA_LABEL, "eth0")
        .done();
}

bytes ipv6_address_tentative() {
    return message_bytes(RTM_NEWADDR, address_header(AF_INET6, 64, 3))
        .attribute(IFA_ADDRESS, {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})
        .attribute(IFA_FLAGS, std::uint32_t{IFA_F_TENTATIVE | IFA_F_PERMANENT})
        .done();
}

ndmsg neighbour_header(int family, unsigned state, unsigned type = RTN_UNICAST) {
    ndmsg header{};
    header.ndm_family = static_cast<unsigned char>(family);
    header.ndm_ifindex = 3;
    header.ndm_state = static_cast<std::uint16_t>(state);
    header.ndm_type = static_cast<unsigned char>(type);
    return header;
}

bytes neighbour_of(unsigned state) {
    return message_bytes(RTM_NEWNEIGH, neighbour_header(AF_INET, state))
        .attribute(NDA_DST, {10, 0, 0, 9})
        .attribute(NDA_LLADDR, {2, 0, 0, 0, 0, 9})
        .done();
}

bytes dump_end() {
    return message_bytes(NLMSG_DONE, std::int32_t{0}, NLM_F_MULTI, 12).done();
}

std::vector<bytes> every_kind() {
    return {plain_route(),
            ipv6_multipath(),
            ipv4_via_ipv6(),
            hop_group(),
            hop_single(),
            vlan_link(),
            ipv4_address_with_peer(),
            ipv6_address_tentative(),
            dump_end(),
            neighbour_of(NUD_STALE)};
}

TEST(netlink_message, a_route_as_bytes) {
    const auto decoded = decode_netlink(plain_route());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->front().sequence, 7U);
    EXPECT_EQ(decoded->front().flags, NLM_F_CREATE | NLM_F_REPLACE | NLM_F_REQUEST);
}

TEST(netlink_message, a_route) {
    const auto route = only<route_message>(plain_route());
    EXPECT_EQ(route.where, network("192.0.2.0/24"));
    EXPECT_EQ(route.table, 254U);
    EXPECT_EQ(route.metric, 20U);
    EXPECT_EQ(route.protocol, RTPROT_ZEBRA);
    EXPECT_EQ(forwarded_as(route), action::forward);
    EXPECT_EQ(route.paths, std::vector{by("10.0.0.1", 2)});
    EXPECT_TRUE(route.replaces);
    EXPECT_FALSE(route.appended);
    EXPECT_FALSE(route.removed);
    EXPECT_FALSE(route.group);
    bytes removed = plain_route();
    removed[4] = std::byte{RTM_DELROUTE};
    EXPECT_TRUE(only<route_message>(removed).removed);
}

TEST(netlink_message, a_multipath_route_of_ipv6) {
    const auto route = only<route_message>(ipv6_multipath());
    EXPECT_EQ(route.where, network("2001:db8::/32"));
    EXPECT_EQ(route.table, 1000U);
    EXPECT_EQ(route.paths, (std::vector{by("fe80::1", 3, 1), by("fe80::2", 4, 256)}));
    EXPECT_EQ(route.unsupported, 1U) << "the path with a tunnel's header";
}

TEST(netlink_message, ipv4_by_an_ipv6_gateway) {
    const auto route = only<route_message>(ipv4_via_ipv6());
    EXPECT_EQ(route.paths, std::vector{by("fe80::9", 6)});
    const auto labels = message_bytes(RTM_NEWROUTE, route_header(AF_INET, 0))
                            .attribute(RTA_VIA, {28, 0, 1, 2, 3})
                            .attribute(RTA_OIF, std::uint32_t{6})
                            .done();
    EXPECT_EQ(only<route_message>(labels).unsupported, 1U) << "a gateway of MPLS";
}

TEST(netlink_message, of_a_repeated_attribute_the_last_one_counts) {
    const auto parsed = [](std::uint32_t interface, std::initializer_list<unsigned> gateway) {
        return only<route_message>(message_bytes(RTM_NEWROUTE, route_header(AF_INET, 0))
                                       .attribute(RTA_OIF, std::uint32_t{6})
                                       .attribute(RTA_GATEWAY, {10, 0, 0, 1})
                                       .attribute(RTA_OIF, interface)
                                       .attribute(RTA_GATEWAY, gateway)
                                       .done());
    };
    EXPECT_EQ(parsed(7, {10, 0, 0, 2}).paths, std::vector{by("10.0.0.2", 7)});
    EXPECT_EQ(parsed(0, {10, 0, 0, 2}).paths, std::vector{by("10.0.0.2", 0)});
    EXPECT_EQ(parsed(7, {0, 0, 0, 0}).paths, std::vector{(path{std::nullopt, 7, 1})});
    const auto nowhere = parsed(0, {0, 0, 0, 0});
    EXPECT_TRUE(nowhere.paths.empty()) << "neither an interface nor a gateway is left";
    EXPECT_EQ(destination_of(nowhere), (destination{action::unreachable, {}}));
    const auto hop = only<next_hop_message>(message_bytes(RTM_NEWNEXTHOP, hop_header())
                                                .attribute(NHA_ID, std::uint32_t{5})
                                                .attribute(NHA_OIF, std::uint32_t{6})
                                                .attribute(NHA_OIF, std::uint32_t{0})
                                                .done());
    EXPECT_FALSE(hop.exit);
}

TEST(netlink_message, kinds_of_routes) {
    const std::pair<unsigned, std::optional<action>> kinds[] = {
        {RTN_UNICAST, action::forward},     {RTN_LOCAL, action::local},
        {RTN_BLACKHOLE, action::blackhole}, {RTN_UNREACHABLE, action::unreachable},
        {RTN_PROHIBIT, action::prohibit},   {RTN_THROW, action::unreachable},
        {RTN_BROADCAST, std::nullopt},      {RTN_MULTICAST, std::nullopt},
        {RTN_ANYCAST, std::nullopt},        {RTN_NAT, std::nullopt},
    };
    for (const auto& [type, what] : kinds) {
        const auto route =
            only<route_message>(message_bytes(RTM_NEWROUTE, route_header(AF_INET6, 0, type)).done());
        EXPECT_EQ(forwarded_as(route), what) << type;
        EXPECT_EQ(route.where, network("::/0"));
    }
}

TEST(netlink_message, destinations_of_routes) {
    const auto to = destination_of(only<route_message>(plain_route()));
    EXPECT_EQ(to, (destination{action::forward, {by("10.0.0.1", 2)}}));
    const auto hole = message_bytes(RTM_NEWROUTE, route_header(AF_INET6, 0, RTN_BLACKHOLE))
                          .attribute(RTA_OIF, std::uint32_t{1})
                          .done();
    EXPECT_EQ(destination_of(only<route_message>(hole)), (destination{action::blackhole, {}}));
    const auto nowhere = message_bytes(RTM_NEWROUTE, route_header(AF_INET, 0)).done();
    EXPECT_EQ(destination_of(only<route_message>(nowhere)), (destination{action::unreachable, {}}))
        << "a unicast route without a path hides no shorter prefix by forwarding";
}

TEST(netlink_message, marks_of_routes_that_are_left_out) {
    rtmsg header = route_header(AF_INET6, 64);
    header.rtm_flags = RTM_F_CLONED;
    header.rtm_src_len = 48;
    header.rtm_tos = 8;
    const auto route =
        only<route_message>(message_bytes(RTM_NEWROUTE, header)
                                .attribute(RTA_DST, {0x20, 1, 0, 0, 0, 0, 0, 0, 0xff, 0, 0, 0, 0, 0, 0, 1})
                                .done());
    EXPECT_TRUE(route.cloned);
    EXPECT_TRUE(route.of_some_sources);
    EXPECT_EQ(route.service, 8);
    EXPECT_EQ(route.where, network("2001::/64")) << "host bits are cleared";
}

TEST(netlink_message, next_hop_objects) {
    const auto group = only<next_hop_message>(hop_group());
    EXPECT_EQ(group.id, 40U);
    EXPECT_EQ(group.members, (std::vector<group_member>{{2, 1}, {3, 5}, {9, 512}}));
    EXPECT_FALSE(group.exit);
    const auto one = only<next_hop_message>(hop_single());
    EXPECT_EQ(one.exit, by("10.0.0.2", 3));
    const auto hole = only<next_hop_message>(message_bytes(RTM_NEWNEXTHOP, hop_header())
                                                 .attribute(NHA_ID, std::uint32_t{5})
                                                 .attribute(NHA_BLACKHOLE, {})
                                                 .done());
    EXPECT_TRUE(hole.blackhole);
    const auto gone = only<next_hop_message>(
        message_bytes(RTM_DELNEXTHOP, hop_header()).attribute(NHA_ID, std::uint32_t{5}).done());
    EXPECT_TRUE(gone.removed);
    const auto route = only<route_message>(
        message_bytes(RTM_NEWROUTE, route_header(AF_INET, 0)).attribute(RTA_NH_ID, std::uint32_t{40}).done());
    EXPECT_EQ(route.group, group_id{40});
}

TEST(netlink_message, links) {
    const link_state link = only<link_message>(vlan_link()).link;
    EXPECT_EQ(link.index, 7U);
    EXPECT_EQ(link.name, "eth0.5");
    EXPECT_EQ(link.mac, (mac_address{2, 0, 0, 0, 0, 7}));
    EXPECT_EQ(link.mtu, 1496U);
    EXPECT_TRUE(link.up);
    EXPECT_EQ(link.parent, 4U);
    EXPECT_EQ(link.vlan, 5);
    ifinfomsg header{};
    header.ifi_index = 9;
    header.ifi_flags = IFF_UP;
    const link_state veth = only<link_message>(message_bytes(RTM_NEWLINK, header)
                                                   .attribute(IFLA_LINK, std::uint32_t{8})
                                                   .attribute(IFLA_ADDRESS, {1, 2, 3, 4})
                                                   .done())
                                .link;
    EXPECT_FALSE(veth.up) << "without a carrier";
    EXPECT_EQ(veth.parent, 0U) << "the other end of a veth is not a parent";
    EXPECT_EQ(veth.mac, mac_address{}) << "not an address of Ethernet";
    header.ifi_family = AF_BRIDGE;
    EXPECT_EQ(only<other_message>(message_bytes(RTM_DELLINK, header).done()).type, RTM_DELLINK);
}

TEST(netlink_message, vrf_devices_and_their_links) {
    ifinfomsg header{};
    header.ifi_index = 9;
    message_bytes device(RTM_NEWLINK, header);
    device.text(IFLA_IFNAME, "red").nest(IFLA_LINKINFO, [&] {
        device.text(IFLA_INFO_KIND, "vrf").nest(IFLA_INFO_DATA, [&] {
            device.attribute(IFLA_VRF_TABLE, std::uint32_t{100});
        });
    });
    EXPECT_EQ(only<link_message>(device.done()).link.vrf_table, 100U);
    header.ifi_index = 10;
    const bytes port = message_bytes(RTM_NEWLINK, header)
                           .text(IFLA_IFNAME, "fp0")
                           .attribute(IFLA_MASTER, std::uint32_t{9})
                           .done();
    const link_state link = only<link_message>(port).link;
    EXPECT_EQ(link.master, 9U);
    EXPECT_EQ(link.vrf_table, 0U);
}

TEST(netlink_message, macvlan_links) {
    ifinfomsg header{};
    header.ifi_index = 12;
    header.ifi_flags = IFF_UP | 1U << 16;
    const auto link_of_kind = [&](const char* kind, bool elsewhere) {
        message_bytes message(RTM_NEWLINK, header);
        message.attribute(IFLA_LINK, std::uint32_t{4}).attribute(IFLA_ADDRESS, {0, 0, 0x5e, 0, 1, 1});
        if (elsewhere)
            message.attribute(IFLA_LINK_NETNSID, std::uint32_t{0});
        message.nest(IFLA_LINKINFO, [&] { message.text(IFLA_INFO_KIND, kind); });
        return only<link_message>(message.done()).link;
    };
    const link_state above = link_of_kind("macvlan", false);
    EXPECT_TRUE(above.macvlan);
    EXPECT_EQ(above.parent, 4U);
    EXPECT_EQ(above.vlan, 0);
    EXPECT_EQ(above.mac, (mac_address{0, 0, 0x5e, 0, 1, 1}));
    const link_state elsewhere = link_of_kind("macvlan", true);
    EXPECT_FALSE(elsewhere.macvlan) << "the link below is one of another network namespace";
    EXPECT_EQ(elsewhere.parent, 0U);
    const link_state other = link_of_kind("ipvlan", false);
    EXPECT_FALSE(other.macvlan);
    EXPECT_EQ(other.parent, 0U);
}

TEST(netlink_message, carriers_are_set_by_number) {
    netlink_request request;
    const nlmsghdr* const message = request.carrier(77, false, 9);
    ifinfomsg header{};
    header.ifi_index = 77;
    const bytes wanted =
        message_bytes(RTM_NEWLINK, header, NLM_F_REQUEST, 9).attribute(IFLA_CARRIER, {0}).done();
    const auto* const first = reinterpret_cast<const std::byte*>(message);
    EXPECT_EQ(bytes(first, first + message->nlmsg_len), wanted);
    EXPECT_EQ(reinterpret_cast<const std::uint8_t*>(request.carrier(77, true, 10))[36], 1);
}

TEST(netlink_message, addresses) {
    const auto peer = only<address_message>(ipv4_address_with_peer()).address;
    EXPECT_EQ(peer, (interface_address{3, address("10.0.0.1"), 32, address("10.0.0.2"), true}));
    const auto tentative = only<address_message>(ipv6_address_tentative()).address;
    EXPECT_EQ(tentative, (interface_address{3, address("2001:db8::1"), 64, std::nullopt, false}));
    const auto flags = [](unsigned set) {
        return only<address_message>(message_bytes(RTM_NEWADDR, address_header(AF_INET, 24, 1, set))
                                         .attribute(IFA_LOCAL, {10, 0, 0, 1})
                                         .done())
            .address.usable;
    };
    EXPECT_TRUE(flags(IFA_F_PERMANENT));
    EXPECT_FALSE(flags(IFA_F_TENTATIVE));
    EXPECT_TRUE(flags(IFA_F_TENTATIVE | IFA_F_OPTIMISTIC));
    EXPECT_FALSE(flags(IFA_F_DADFAILED));
}

TEST(netlink_message, neighbours) {
    const std::pair<unsigned, neighbour_state> states[] = {
        {NUD_INCOMPLETE, neighbour_state::unresolved}, {NUD_REACHABLE, neighbour_state::resolved},
        {NUD_STALE, neighbour_state::resolved},        {NUD_DELAY, neighbour_state::resolved},
        {NUD_PROBE, neighbour_state::resolved},        {NUD_PERMANENT, neighbour_state::resolved},
        {NUD_FAILED, neighbour_state::failed},         {NUD_NONE, neighbour_state::unresolved},
    };
    for (const auto& [state, expected] : states) {
        const neighbour one = only<neighbour_message>(neighbour_of(state)).entry;
        EXPECT_EQ(one.stale, state == NUD_STALE);
        EXPECT_EQ(one.state, expected) << state;
        EXPECT_EQ(one.address, address("10.0.0.9"));
        EXPECT_EQ(one.mac, (mac_address{2, 0, 0, 0, 0, 9}));
        EXPECT_EQ(one.interface, 3U);
    }
    const auto without_mac = message_bytes(RTM_NEWNEIGH, neighbour_header(AF_INET, NUD_REACHABLE))
                                 .attribute(NDA_DST, {10, 0, 0, 9})
                                 .done();
    EXPECT_EQ(only<neighbour_message>(without_mac).entry.state, neighbour_state::unresolved);
    const auto multicast = message_bytes(RTM_NEWNEIGH, neighbour_header(AF_INET, NUD_NOARP, RTN_MULTICAST))
                               .attribute(NDA_DST, {224, 0, 0, 1})
                               .done();
    EXPECT_TRUE(only<neighbour_message>(multicast).of_link);
}

TEST(netlink_message, answers) {
    const auto end = only<answer_message>(dump_end());
    EXPECT_TRUE(end.ends_dump);
    EXPECT_EQ(end.error, 0);
    const auto refusal = only<answer_message>(message_bytes(NLMSG_ERROR, std::int32_t{-95}).done());
    EXPECT_FALSE(refusal.ends_dump);
    EXPECT_EQ(refusal.error, 95);
}

TEST(netlink_message, what_is_for_others) {
    EXPECT_EQ(only<other_message>(message_bytes(RTM_NEWROUTE, route_header(28, 20)).done()).type,
              RTM_NEWROUTE);
    EXPECT_EQ(only<other_message>(message_bytes(RTM_NEWQDISC, raw({}).size()).done()).type, RTM_NEWQDISC);
}

TEST(netlink_message, errors_have_place_and_reason) {
    bytes route = plain_route();
    const auto changed = [&](std::size_t at, unsigned value) {
        bytes copy = route;
        copy[at] = static_cast<std::byte>(value);
        return refused(copy);
    };
    EXPECT_EQ(changed(0, 61), (netlink_error{0, "a netlink message of 61 bytes where 60 are left"}));
    EXPECT_EQ(changed(0, 15), (netlink_error{0, "a netlink message of 15 bytes where 60 are left"}));
    EXPECT_EQ(changed(0, 20), (netlink_error{16, "a route message of 4 bytes, without its header"}));
    EXPECT_EQ(changed(17, 33), (netlink_error{16, "a prefix of 33 bits, of at most 32"}));
    EXPECT_EQ(changed(28, 7), (netlink_error{28, "RTA_DST has 3 bytes, not 4 or 16"}));
    EXPECT_EQ(changed(28, 3), (netlink_error{28, "an attribute of 3 bytes where 32 are left"}));
    EXPECT_EQ(changed(30, 30), (netlink_error{16, "a prefix of 24 bits without RTA_DST"}));
    EXPECT_EQ(changed(36, 200), (netlink_error{36, "an attribute of 200 bytes where 24 are left"}));
    EXPECT_EQ(changed(16, 10), (netlink_error{16, "RTA_DST is not of the route's family"}));
    EXPECT_EQ(changed(44, 6), (netlink_error{44, "RTA_OIF has 2 bytes, not 4"}));
    // The offset counts from the start of all bytes, not of the message.
    bytes second = route;
    second[17] = std::byte{33};
    EXPECT_EQ(refused(route + second).offset, 60U + 16U);
    EXPECT_EQ(refused(route + raw({1, 2, 3, 4, 5})).reason, "5 bytes, too few for a netlink header");
    EXPECT_TRUE(decode_netlink(route + raw({0, 0, 0}))) << "padding";
    EXPECT_EQ(refused(message_bytes(RTM_NEWNEXTHOP, hop_header()).done()).reason,
              "a next-hop message without NHA_ID");
}

// Decodes a copy on the heap, in memory of exactly its size and at any alignment, so that the address
// sanitizer detects reads past its end.
auto decode_alone(const bytes& message, std::size_t shift) {
    const auto room = std::make_unique<std::byte[]>(message.size() + shift);
    if (!message.empty())
        std::memcpy(room.get() + shift, message.data(), message.size());
    return decode_netlink({room.get() + shift, message.size()});
}

TEST(netlink_message, cut_at_every_length) {
    std::size_t cuts = 0;
    for (const bytes& whole : every_kind())
        for (std::size_t length = 0; length < whole.size(); ++length)
            for (std::size_t shift = 0; shift < 4; ++shift) {
                const bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
                const auto decoded = decode_alone(cut, shift);
                EXPECT_EQ(decoded.has_value(), length < 4) << length;
                ++cuts;
            }
    EXPECT_GT(cuts, 2000U);
}

// The length in the header is the end of the message, so the contents may be truncated too.
TEST(netlink_message, cut_inside_of_a_message) {
    for (const bytes& whole : every_kind())
        for (std::size_t length = 16; length < whole.size(); ++length) {
            bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
            cut[0] = static_cast<std::byte>(length);
            const auto decoded = decode_alone(cut, 0);
            if (!decoded) {
                EXPECT_LE(decoded.error().offset, length);
                EXPECT_FALSE(decoded.error().reason.empty());
            }
        }
}

TEST(netlink_message, every_byte_changed) {
    std::size_t accepted = 0, refusals = 0;
    for (const bytes& whole : every_kind())
        for (std::size_t at = 0; at < whole.size(); ++at)
            for (unsigned value = 0; value < 256; ++value) {
                bytes changed = whole;
                changed[at] = static_cast<std::byte>(value);
                const auto decoded = decode_alone(changed, at % 4);
                ++(decoded ? accepted : refusals);
                EXPECT_TRUE(decoded || decoded.error().offset <= whole.size());
            }
    EXPECT_GT(accepted, 10'000U);
    EXPECT_GT(refusals, 10'000U);
}

TEST(netlink_message, random_damage) {
    std::mt19937 random(17);
    const std::vector<bytes> kinds = every_kind();
    std::size_t refusals = 0;
    for (unsigned round = 0; round < 50'000; ++round) {
        bytes many;
        for (unsigned i = random() % 4; i-- > 0;)
            many = many + kinds[random() % kinds.size()];
        for (unsigned i = random() % 8; i-- > 0 && !many.empty();)
            many[random() % many.size()] = static_cast<std::byte>(random());
        refusals += decode_alone(many, random() % 4) ? 0 : 1;
    }
    EXPECT_GT(refusals, 5'000U);
}

} // namespace
} // namespace fingerpost::router
