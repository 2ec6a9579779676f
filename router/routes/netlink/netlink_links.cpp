// Decodes links, addresses and neighbours.
#include "router/routes/netlink/netlink_decoders.hpp"

#include <algorithm>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

namespace fingerpost::router::netlink {

namespace {

// "There is a carrier", from <linux/if.h>, which cannot be included together with <net/if.h>.
constexpr unsigned lower_layer_up = 1U << 16;

// Addresses of other lengths belong to links that are not Ethernet, and are ignored.
void read_mac(const attribute& from, mac_address& out) {
    const region in = from.payload();
    if (in.bytes.size() == out.size())
        std::memcpy(out.data(), in.bytes.data(), out.size());
}

// The kernel's texts end with a zero, which is not part of the result.
fault read_text(const attribute& from, std::string_view name, std::string& out) {
    const region in = from.payload();
    const auto end = std::find(in.bytes.begin(), in.bytes.end(), std::byte{0});
    if (end == in.bytes.end())
        return error_at(from.offset(), "{} has no end", name);
    out.assign(reinterpret_cast<const char*>(in.bytes.data()),
               static_cast<std::size_t>(end - in.bytes.begin()));
    return std::nullopt;
}

struct link_kind {
    std::string name;
    std::optional<region> data;
    std::uint16_t vlan = 0;
    std::uint32_t vrf_table = 0;
};

// The link below. It may be in another network namespace, where its number has no meaning here.
struct link_below {
    std::uint32_t index = 0;
    bool is_elsewhere = false;
};

fault read_link_info(const attribute& from, link_kind& out) {
    const auto visit = [&](const attribute& field) -> fault {
        if (field.type() == IFLA_INFO_KIND)
            return read_text(field, "IFLA_INFO_KIND", out.name);
        if (field.type() == IFLA_INFO_DATA)
            out.data = field.payload();
        return std::nullopt;
    };
    if (fault failed = for_each_attribute(from.payload(), visit))
        return failed;
    // The meaning of the data depends on the kind, which may come after them.
    if (!out.data || (out.name != "vlan" && out.name != "vrf"))
        return std::nullopt;
    return for_each_attribute(*out.data, [&](const attribute& field) -> fault {
        if (out.name == "vrf")
            return field.type() == IFLA_VRF_TABLE ? field.read(out.vrf_table, "IFLA_VRF_TABLE")
                                                  : std::nullopt;
        return field.type() == IFLA_VLAN_ID ? field.read(out.vlan, "IFLA_VLAN_ID") : std::nullopt;
    });
}

fault read_link_attribute(const attribute& from, link_state& link, link_kind& kind, link_below& below) {
    switch (from.type()) {
    case IFLA_IFNAME:
        return read_text(from, "IFLA_IFNAME", link.name);
    case IFLA_MTU:
        return from.read(link.mtu, "IFLA_MTU");
    case IFLA_CARRIER_DOWN_COUNT:
        return from.read(link.losses, "IFLA_CARRIER_DOWN_COUNT");
    case IFLA_MASTER:
        return from.read(link.master, "IFLA_MASTER");
    case IFLA_LINK:
        return from.read(below.index, "IFLA_LINK");
    case IFLA_LINK_NETNSID:
        below.is_elsewhere = true;
        return std::nullopt;
    case IFLA_ADDRESS:
        read_mac(from, link.mac);
        return std::nullopt;
    case IFLA_LINKINFO:
        return read_link_info(from, kind);
    default:
        return std::nullopt;
    }
}

} // namespace

fault decode_link(const region& in, bool removed, netlink_message& out) {
    const auto header = header_of<ifinfomsg>(in);
    if (!header)
        return error_at(in.offset, "a link message of {} bytes, without its header", in.bytes.size());
    // Messages from a bridge are about its ports, including the message that removes a port from it.
    if (header->ifi_family != AF_UNSPEC)
        return std::nullopt;
    if (header->ifi_index <= 0)
        return error_at(in.offset, "a link with the number {}", header->ifi_index);
    link_message message{removed, {}};
    link_state& link = message.link;
    link.index = static_cast<std::uint32_t>(header->ifi_index);
    link.up = (header->ifi_flags & IFF_UP) != 0 && (header->ifi_flags & lower_layer_up) != 0;
    link_kind kind;
    link_below below;
    const auto visit = [&](const attribute& field) { return read_link_attribute(field, link, kind, below); };
    if (fault failed = for_each_attribute(in.from(sizeof(ifinfomsg)), visit))
        return failed;
    if (kind.name == "vlan" && !below.is_elsewhere) {
        link.parent = below.index;
        link.vlan = kind.vlan;
    } else if (kind.name == "macvlan" && !below.is_elsewhere) {
        link.parent = below.index;
        link.macvlan = true;
    }
    link.vrf_table = kind.vrf_table;
    out.body = std::move(message);
    return std::nullopt;
}

namespace {

struct address_parts {
    std::optional<any_address> address; // for IPv4 the peer's address if there is one, else the own address
    std::optional<any_address> local;   // the own address
    std::uint32_t flags = 0;
};

// False while duplicate address detection is running, and if it found another owner. An optimistic address
// may be used while it is running.
bool is_usable(std::uint32_t flags) {
    const bool waits = (flags & IFA_F_TENTATIVE) != 0 && (flags & IFA_F_OPTIMISTIC) == 0;
    return !waits && (flags & IFA_F_DADFAILED) == 0;
}

bool is_of(const any_address& address, unsigned char family) {
    return std::holds_alternative<ipv4_address>(address) == (family == AF_INET);
}

} // namespace

fault decode_address(const region& in, bool removed, netlink_message& out) {
    const auto header = header_of<ifaddrmsg>(in);
    if (!header)
        return error_at(in.offset, "an address message of {} bytes, without its header", in.bytes.size());
    if (header->ifa_family != AF_INET && header->ifa_family != AF_INET6)
        return std::nullopt;
    if (header->ifa_prefixlen > (header->ifa_family == AF_INET ? 32 : 128))
        return error_at(in.offset, "an address with a prefix of {} bits", header->ifa_prefixlen);
    address_parts parts{{}, {}, header->ifa_flags};
    const auto visit = [&](const attribute& field) -> fault {
        switch (field.type()) {
        case IFA_ADDRESS:
            return field.read(parts.address.emplace(), "IFA_ADDRESS");
        case IFA_LOCAL:
            return field.read(parts.local.emplace(), "IFA_LOCAL");
        case IFA_FLAGS:
            return field.read(parts.flags, "IFA_FLAGS");
        default:
            return std::nullopt;
        }
    };
    if (fault failed = for_each_attribute(in.from(sizeof(ifaddrmsg)), visit))
        return failed;
    const std::optional<any_address>& own = parts.local ? parts.local : parts.address;
    if (!own || !is_of(*own, header->ifa_family) ||
        (parts.address && !is_of(*parts.address, header->ifa_family)))
        return error_at(in.offset, "an address message without an address of its family");
    interface_address address;
    address.interface = header->ifa_index;
    address.address = *own;
    address.length = header->ifa_prefixlen;
    if (parts.address && *parts.address != *own)
        address.peer = parts.address;
    address.usable = is_usable(parts.flags);
    out.body = address_message{removed, address};
    return std::nullopt;
}

namespace {

neighbour_state state_of(std::uint16_t state, bool has_mac) {
    constexpr unsigned valid = NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_PROBE | NUD_STALE | NUD_DELAY;
    if ((state & valid) != 0 && has_mac)
        return neighbour_state::resolved;
    return (state & NUD_FAILED) != 0 ? neighbour_state::failed : neighbour_state::unresolved;
}

} // namespace

fault decode_neighbour(const region& in, bool removed, netlink_message& out) {
    const auto header = header_of<ndmsg>(in);
    if (!header)
        return error_at(in.offset, "a neighbour message of {} bytes, without its header", in.bytes.size());
    // Proxy entries are addresses that the kernel answers for, not neighbours.
    if ((header->ndm_family != AF_INET && header->ndm_family != AF_INET6) ||
        (header->ndm_flags & NTF_PROXY) != 0)
        return std::nullopt;
    neighbour_message message;
    message.removed = removed;
    message.of_link = (header->ndm_state & NUD_NOARP) != 0 && header->ndm_type != RTN_UNICAST;
    message.entry.interface = static_cast<std::uint32_t>(header->ndm_ifindex);
    std::optional<any_address> address;
    bool has_mac = false;
    const auto visit = [&](const attribute& field) -> fault {
        if (field.type() == NDA_DST)
            return field.read(address.emplace(), "NDA_DST");
        if (field.type() == NDA_LLADDR) {
            has_mac = field.payload().bytes.size() == message.entry.mac.size();
            read_mac(field, message.entry.mac);
        }
        return std::nullopt;
    };
    if (fault failed = for_each_attribute(in.from(sizeof(ndmsg)), visit))
        return failed;
    if (!address || !is_of(*address, header->ndm_family))
        return error_at(in.offset, "a neighbour message without NDA_DST of its family");
    message.entry.address = *address;
    message.entry.state = state_of(header->ndm_state, has_mac);
    message.entry.stale =
        message.entry.state == neighbour_state::resolved && (header->ndm_state & NUD_STALE) != 0;
    out.body = message;
    return std::nullopt;
}

} // namespace fingerpost::router::netlink
