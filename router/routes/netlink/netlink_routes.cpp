// Decodes routes and next-hop objects.
#include "router/routes/netlink/netlink_decoders.hpp"

#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

namespace fingerpost::router::netlink {

namespace {

// A path whose attributes are being read.
struct path_parts {
    path exit;
    bool unsupported = false;

    // If a message repeats an attribute, the last one is used, so this is known only at the end of the
    // message.
    bool leads_anywhere() const { return exit.gateway || exit.interface != 0; }
};

bool is_zero(const any_address& address) {
    return std::visit([](auto a) { return a.value == 0; }, address);
}

// Some senders write an all-zero gateway if there is none.
void set_gateway(path_parts& out, const any_address& gateway) {
    out.exit.gateway = is_zero(gateway) ? std::nullopt : std::optional(gateway);
}

// RTA_VIA: a family of two bytes, then an address.
fault read_via(const attribute& from, path_parts& out) {
    const region in = from.payload();
    const auto family = header_of<std::uint16_t>(in);
    if (!family)
        return error_at(from.offset(), "RTA_VIA has {} bytes", in.bytes.size());
    if (*family != AF_INET && *family != AF_INET6) {
        out.unsupported = true;
        return std::nullopt;
    }
    const region address = in.from(sizeof *family);
    if (address.bytes.size() != (*family == AF_INET ? 4U : 16U))
        return error_at(from.offset(), "RTA_VIA has an address of {} bytes for family {}",
                        address.bytes.size(), *family);
    set_gateway(out, address_from(address.bytes));
    return std::nullopt;
}

// Reads the attributes of one path, which may be the only one of a route or one of several.
fault read_path(const attribute& from, path_parts& out) {
    switch (from.type()) {
    case RTA_GATEWAY: {
        any_address gateway;
        if (fault failed = from.read(gateway, "RTA_GATEWAY"))
            return failed;
        set_gateway(out, gateway);
        return std::nullopt;
    }
    case RTA_VIA:
        return read_via(from, out);
    case RTA_ENCAP:
    case RTA_NEWDST:
        out.unsupported = true;
        return std::nullopt;
    default:
        return std::nullopt;
    }
}

// RTA_MULTIPATH: a sequence of rtnexthop, each with its own attributes.
fault read_multipath(const attribute& from, route_message& out) {
    region left = from.payload();
    while (left.bytes.size() >= RTNH_ALIGNTO) {
        const auto header = header_of<rtnexthop>(left);
        if (!header)
            return error_at(left.offset, "{} bytes, too few for a path", left.bytes.size());
        if (header->rtnh_len < sizeof(rtnexthop) || header->rtnh_len > left.bytes.size())
            return error_at(left.offset, "a path of {} bytes where {} are left", header->rtnh_len,
                            left.bytes.size());
        path_parts parts;
        parts.exit.interface = static_cast<std::uint32_t>(header->rtnh_ifindex);
        parts.exit.weight = static_cast<std::uint16_t>(header->rtnh_hops + 1);
        const region attributes = left.first(header->rtnh_len).from(sizeof(rtnexthop));
        if (fault failed = for_each_attribute(
                attributes, [&](const attribute& field) { return read_path(field, parts); }))
            return failed;
        if (parts.unsupported || !parts.leads_anywhere())
            ++out.unsupported;
        else
            out.paths.push_back(parts.exit);
        left = left.from(std::min<std::size_t>(RTNH_ALIGN(std::size_t{header->rtnh_len}), left.bytes.size()));
    }
    return std::nullopt;
}

// The attributes of a route before they are combined.
struct route_parts {
    std::optional<any_address> base;
    path_parts single;
};

fault read_route_attribute(const attribute& from, route_message& out, route_parts& parts) {
    switch (from.type()) {
    case RTA_DST:
        return from.read(parts.base.emplace(), "RTA_DST");
    case RTA_TABLE:
        return from.read(out.table, "RTA_TABLE");
    case RTA_PRIORITY:
        return from.read(out.metric, "RTA_PRIORITY");
    case RTA_OIF:
        return from.read(parts.single.exit.interface, "RTA_OIF");
    case RTA_NH_ID: {
        std::uint32_t id = 0;
        if (fault failed = from.read(id, "RTA_NH_ID"))
            return failed;
        if (id != 0)
            out.group = group_id{id};
        return std::nullopt;
    }
    case RTA_MULTIPATH:
        return read_multipath(from, out);
    default:
        return read_path(from, parts.single);
    }
}

template <class A>
fault set_prefix(const region& in, unsigned length, const std::optional<any_address>& base,
                 route_message& out) {
    if (length > A::bits)
        return error_at(in.offset, "a prefix of {} bits, of at most {}", length, A::bits);
    if (!base && length != 0)
        return error_at(in.offset, "a prefix of {} bits without RTA_DST", length);
    const A* const address = base ? std::get_if<A>(&*base) : nullptr;
    if (base && address == nullptr)
        return error_at(in.offset, "RTA_DST is not of the route's family");
    out.where = prefix<A>::make(address != nullptr ? *address : A{}, length);
    return std::nullopt;
}

} // namespace

fault decode_route(const region& in, bool removed, netlink_message& out) {
    const auto header = header_of<rtmsg>(in);
    if (!header)
        return error_at(in.offset, "a route message of {} bytes, without its header", in.bytes.size());
    if (header->rtm_family != AF_INET && header->rtm_family != AF_INET6)
        return std::nullopt;
    route_message route;
    route.removed = removed;
    route.replaces = (out.flags & NLM_F_REPLACE) != 0;
    route.appended = (out.flags & NLM_F_APPEND) != 0;
    route.table = header->rtm_table;
    route.type = header->rtm_type;
    route.protocol = header->rtm_protocol;
    route.service = header->rtm_tos;
    route.cloned = (header->rtm_flags & RTM_F_CLONED) != 0;
    route.of_some_sources = header->rtm_src_len != 0;
    route_parts parts;
    const auto visit = [&](const attribute& field) { return read_route_attribute(field, route, parts); };
    if (fault failed = for_each_attribute(in.from(sizeof(rtmsg)), visit))
        return failed;
    const fault failed = header->rtm_family == AF_INET
                             ? set_prefix<ipv4_address>(in, header->rtm_dst_len, parts.base, route)
                             : set_prefix<ipv6_address>(in, header->rtm_dst_len, parts.base, route);
    if (failed)
        return failed;
    if (parts.single.unsupported)
        ++route.unsupported;
    else if (parts.single.leads_anywhere())
        route.paths.push_back(parts.single.exit);
    out.body = std::move(route);
    return std::nullopt;
}

namespace {

// A member of NHA_GROUP as in the message: the kernel's nexthop_grp. Its header calls the third field resvd1
// or weight_high, depending on the release, so the layout is defined here. Older kernels set that field to
// zero.
struct group_member {
    std::uint32_t id;
    std::uint8_t weight;
    std::uint8_t weight_high;
    std::uint16_t reserved;
};
static_assert(sizeof(group_member) == sizeof(nexthop_grp));

fault read_members(const attribute& from, next_hop_message& out) {
    region left = from.payload();
    if (left.bytes.size() % sizeof(group_member) != 0)
        return error_at(from.offset(), "NHA_GROUP has {} bytes, no multiple of {}", left.bytes.size(),
                        sizeof(group_member));
    for (; !left.bytes.empty(); left = left.from(sizeof(group_member))) {
        const group_member member = *header_of<group_member>(left);
        if (member.id == 0)
            return error_at(left.offset, "a member of a group without a number");
        const std::uint32_t weight = std::uint32_t{member.weight_high} << 8 | member.weight;
        out.members.push_back({member.id, weight + 1});
    }
    return std::nullopt;
}

fault read_next_hop_attribute(const attribute& from, next_hop_message& out, path_parts& parts) {
    switch (from.type()) {
    case NHA_ID:
        return from.read(out.id, "NHA_ID");
    case NHA_GROUP:
        return read_members(from, out);
    case NHA_BLACKHOLE:
        out.blackhole = true;
        return std::nullopt;
    case NHA_OIF:
        return from.read(parts.exit.interface, "NHA_OIF");
    case NHA_GATEWAY: {
        any_address gateway;
        if (fault failed = from.read(gateway, "NHA_GATEWAY"))
            return failed;
        set_gateway(parts, gateway);
        return std::nullopt;
    }
    case NHA_ENCAP:
    case NHA_FDB:
        out.unsupported = true;
        return std::nullopt;
    default:
        return std::nullopt;
    }
}

} // namespace

fault decode_next_hop(const region& in, bool removed, netlink_message& out) {
    if (!header_of<nhmsg>(in))
        return error_at(in.offset, "a next-hop message of {} bytes, without its header", in.bytes.size());
    next_hop_message hop;
    hop.removed = removed;
    path_parts parts;
    const auto visit = [&](const attribute& field) { return read_next_hop_attribute(field, hop, parts); };
    if (fault failed = for_each_attribute(in.from(sizeof(nhmsg)), visit))
        return failed;
    if (hop.id == 0)
        return error_at(in.offset, "a next-hop message without NHA_ID");
    if (parts.leads_anywhere() && !hop.unsupported)
        hop.exit = parts.exit;
    out.body = std::move(hop);
    return std::nullopt;
}

} // namespace fingerpost::router::netlink
