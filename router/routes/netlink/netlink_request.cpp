// Writes requests in the form that the kernel's strict checking requires.
#include "router/routes/netlink/netlink_request.hpp"

#include <cstddef>

#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

namespace fingerpost::router {

namespace {

// In network order, as in attributes.
void put_address(nlmsghdr* message, std::uint16_t type, const any_address& address) {
    std::visit(
        [&](auto value) {
            std::array<std::uint8_t, sizeof value> bytes;
            for (auto at = bytes.rbegin(); at != bytes.rend(); ++at, value.value >>= 8)
                *at = static_cast<std::uint8_t>(value.value);
            mnl_attr_put(message, type, bytes.size(), bytes.data());
        },
        address);
}

// Strict checking requires the structure of the message type, with the fields that restrict the dump.
void put_dump_header(nlmsghdr* message, std::uint8_t family, std::uint32_t table) {
    switch (message->nlmsg_type) {
    case RTM_GETLINK: {
        static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg)))->ifi_family = family;
        mnl_attr_put_u32(message, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
        return;
    }
    case RTM_GETADDR:
        static_cast<ifaddrmsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ifaddrmsg)))->ifa_family = family;
        return;
    case RTM_GETNEIGH:
        static_cast<ndmsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ndmsg)))->ndm_family = family;
        return;
    case RTM_GETNEXTHOP:
        static_cast<nhmsg*>(mnl_nlmsg_put_extra_header(message, sizeof(nhmsg)))->nh_family = family;
        return;
    default: {
        auto* const route = static_cast<rtmsg*>(mnl_nlmsg_put_extra_header(message, sizeof(rtmsg)));
        route->rtm_family = family;
        // The header has room for the first 255 tables only.
        if (table <= 0xff)
            route->rtm_table = static_cast<std::uint8_t>(table);
        else
            mnl_attr_put_u32(message, RTA_TABLE, table);
        return;
    }
    }
}

} // namespace

const nlmsghdr* netlink_request::dump(const netlink_dump& what, std::uint32_t sequence) noexcept {
    nlmsghdr* const message = mnl_nlmsg_put_header(bytes_.data());
    message->nlmsg_type = what.type;
    message->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    message->nlmsg_seq = sequence;
    put_dump_header(message, what.family, what.table);
    return message;
}

const nlmsghdr* netlink_request::link(std::uint32_t interface, std::uint32_t sequence) noexcept {
    nlmsghdr* const message = mnl_nlmsg_put_header(bytes_.data());
    message->nlmsg_type = RTM_GETLINK;
    message->nlmsg_flags = NLM_F_REQUEST;
    message->nlmsg_seq = sequence;
    static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg)))->ifi_index =
        static_cast<int>(interface);
    mnl_attr_put_u32(message, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
    return message;
}

const nlmsghdr* netlink_request::resolve(std::uint32_t interface, const any_address& address,
                                         std::uint32_t sequence) noexcept {
    nlmsghdr* const message = mnl_nlmsg_put_header(bytes_.data());
    message->nlmsg_type = RTM_NEWNEIGH;
    message->nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE;
    message->nlmsg_seq = sequence;
    auto* const entry = static_cast<ndmsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ndmsg)));
    entry->ndm_family = std::holds_alternative<ipv4_address>(address) ? AF_INET : AF_INET6;
    entry->ndm_ifindex = static_cast<int>(interface);
    entry->ndm_flags = NTF_USE;
    put_address(message, NDA_DST, address);
    return message;
}

const nlmsghdr* netlink_request::carrier(std::uint32_t interface, bool up, std::uint32_t sequence) noexcept {
    nlmsghdr* const message = mnl_nlmsg_put_header(bytes_.data());
    message->nlmsg_type = RTM_NEWLINK;
    message->nlmsg_flags = NLM_F_REQUEST;
    message->nlmsg_seq = sequence;
    auto* const link = static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg)));
    link->ifi_index = static_cast<int>(interface);
    mnl_attr_put_u8(message, IFLA_CARRIER, up ? 1 : 0);
    return message;
}

const nlmsghdr* netlink_request::add_vlan(const char* name, std::uint32_t parent, std::uint16_t id,
                                          std::uint32_t sequence) noexcept {
    nlmsghdr* const message = mnl_nlmsg_put_header(bytes_.data());
    message->nlmsg_type = RTM_NEWLINK;
    message->nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK;
    message->nlmsg_seq = sequence;
    auto* const link = static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg)));
    link->ifi_flags = IFF_UP;
    link->ifi_change = IFF_UP;
    mnl_attr_put_u32(message, IFLA_LINK, parent);
    mnl_attr_put_strz(message, IFLA_IFNAME, name);
    nlattr* const kind = mnl_attr_nest_start(message, IFLA_LINKINFO);
    mnl_attr_put_strz(message, IFLA_INFO_KIND, "vlan");
    nlattr* const data = mnl_attr_nest_start(message, IFLA_INFO_DATA);
    mnl_attr_put_u16(message, IFLA_VLAN_ID, id);
    mnl_attr_nest_end(message, data);
    mnl_attr_nest_end(message, kind);
    return message;
}

const nlmsghdr* netlink_request::change_address(const interface_address& target, std::uint16_t type,
                                                std::uint16_t flags, std::uint32_t sequence) noexcept {
    nlmsghdr* const message = mnl_nlmsg_put_header(bytes_.data());
    message->nlmsg_type = type;
    message->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | NLM_F_ACK | flags);
    message->nlmsg_seq = sequence;
    auto* const address = static_cast<ifaddrmsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ifaddrmsg)));
    address->ifa_family = std::holds_alternative<ipv4_address>(target.address) ? AF_INET : AF_INET6;
    address->ifa_prefixlen = target.length;
    address->ifa_index = target.interface;
    // Skips duplicate address detection. IPv6 addresses are not usable while it runs, and it never ends while
    // the port has no link.
    if (address->ifa_family == AF_INET6)
        address->ifa_flags = IFA_F_NODAD;
    put_address(message, IFA_LOCAL, target.address);
    put_address(message, IFA_ADDRESS, target.address);
    return message;
}

const nlmsghdr* netlink_request::add_address(const interface_address& target,
                                             std::uint32_t sequence) noexcept {
    return change_address(target, RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE, sequence);
}

const nlmsghdr* netlink_request::remove_address(const interface_address& target,
                                                std::uint32_t sequence) noexcept {
    return change_address(target, RTM_DELADDR, 0, sequence);
}

nlmsghdr* netlink_request::change_link(std::uint32_t interface, std::uint32_t sequence) noexcept {
    nlmsghdr* const message = mnl_nlmsg_put_header(bytes_.data());
    message->nlmsg_type = RTM_NEWLINK;
    message->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
    message->nlmsg_seq = sequence;
    auto* const link = static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg)));
    link->ifi_index = static_cast<int>(interface);
    return message;
}

const nlmsghdr* netlink_request::set_up(std::uint32_t interface, std::uint32_t sequence) noexcept {
    nlmsghdr* const message = change_link(interface, sequence);
    auto* const link = static_cast<ifinfomsg*>(mnl_nlmsg_get_payload(message));
    link->ifi_flags = IFF_UP;
    link->ifi_change = IFF_UP;
    return message;
}

const nlmsghdr* netlink_request::set_mtu(std::uint32_t interface, std::uint32_t mtu,
                                         std::uint32_t sequence) noexcept {
    nlmsghdr* const message = change_link(interface, sequence);
    mnl_attr_put_u32(message, IFLA_MTU, mtu);
    return message;
}

} // namespace fingerpost::router
