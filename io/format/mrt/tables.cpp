// Decodes records of routing tables (RFC 6396, 4.2 and 4.3; RFC 8050).
#include "io/format/mrt/tables.hpp"

#include "io/format/mrt/attributes.hpp"
#include "io/format/mrt/prefixes.hpp"
#include "io/format/mrt/types.hpp"

namespace fingerpost::io::mrt {
namespace {

constexpr std::uint8_t has_ipv6_address = 1;
constexpr std::uint8_t has_as4 = 2;
constexpr std::size_t min_peer_bytes = 11;

peer read_peer(byte_reader& in) {
    const std::uint8_t kind = in.u8();
    in.skip(4); // BGP identifier
    peer read;
    if ((kind & has_ipv6_address) != 0)
        read.address = in.address<ipv6_address>();
    else
        read.address = in.address<ipv4_address>();
    read.as = (kind & has_as4) != 0 ? in.u32() : in.u16();
    return read;
}

// IPv4 routes have a NEXT_HOP, or an IPv6 next hop in MP_REACH_NLRI (RFC 8950). IPv6 routes have the latter.
// If a dump lacks it, the other attributes are used.
void set_attributes(const route_attributes& attributes, bool prefers_mp, entry& out) {
    const any_next_hop& first = prefers_mp ? attributes.mp_next_hop : attributes.next_hop;
    const any_next_hop& second = prefers_mp ? attributes.next_hop : attributes.mp_next_hop;
    out.next_hop = first.index() != 0 ? first : second;
    out.origin = attributes.origin;
    out.path_length = attributes.path_length;
}

template <class A>
fault read_table_dump_of(const record& whole, std::vector<entry>& out) {
    byte_reader in(whole.body);
    in.skip(4); // number of the view, number of the record
    if (!in.ok())
        return "the record is cut short";
    while (in.left() != 0) {
        const A base = in.address<A>();
        const unsigned length = in.u8();
        in.skip(1 + 4); // status, and time at which the route was learned
        entry& added = out.emplace_back();
        added.seconds = whole.seconds;
        added.peer = in.address<A>();
        added.peer_as = in.u16();
        const bytes attributes = in.take(in.u16());
        if (!in.ok())
            return "the last entry is cut short";
        if (length > A::bits)
            return prefix_too_long;
        added.where = prefix<A>::make(base, length);
        route_attributes route;
        if (const fault damage = skim_attributes(attributes, 2, attribute_place::table, route);
            !damage.empty())
            return damage;
        set_attributes(route, A::bits == 128, added);
    }
    return {};
}

struct rib_kind {
    family of;
    bool is_multicast;
    path_ids ids;
};

rib_kind kind_of(std::uint16_t subtype) {
    using namespace table_dump_v2_subtype;
    const bool has_ids = subtype >= rib_ipv4_unicast_addpath;
    const unsigned plain = has_ids ? subtype - rib_ipv4_unicast_addpath + rib_ipv4_unicast : subtype;
    return {plain >= rib_ipv6_unicast ? family::ipv6 : family::ipv4,
            plain == rib_ipv4_multicast || plain == rib_ipv6_multicast,
            has_ids ? path_ids::present : path_ids::absent};
}

} // namespace

expected<peer_table, fault> read_peers(bytes body) {
    byte_reader in(body);
    in.skip(4);        // BGP identifier of the collector
    in.skip(in.u16()); // name of its view
    const std::size_t count = in.u16();
    // Checks the count, so that a wrong one does not allocate memory.
    if (!in.ok() || in.left() < count * min_peer_bytes)
        return unexpected{fault("the table of peers is cut short")};
    peer_table peers(count);
    for (peer& each : peers)
        each = read_peer(in);
    if (!in.ok())
        return unexpected{fault("the table of peers is cut short")};
    if (in.left() != 0)
        return unexpected{fault("bytes follow the last peer")};
    return peers;
}

fault read_table_dump(const record& whole, std::vector<entry>& out) {
    return whole.subtype == afi_ipv4 ? read_table_dump_of<ipv4_address>(whole, out)
                                     : read_table_dump_of<ipv6_address>(whole, out);
}

fault read_rib(const record& whole, const peer_table& peers, std::vector<entry>& out) {
    const rib_kind kind = kind_of(whole.subtype);
    byte_reader in(whole.body);
    in.skip(4); // sequence number
    entry like;
    like.seconds = whole.seconds;
    like.is_multicast = kind.is_multicast;
    if (const fault damage = read_prefix(in, kind.of, like.where); !damage.empty())
        return damage;
    for (unsigned count = in.u16(); count != 0; --count) {
        const std::size_t number = in.u16();
        in.skip(4); // time at which the route was learned
        entry& added = out.emplace_back(like);
        if (kind.ids == path_ids::present)
            added.path_id = in.u32();
        const bytes attributes = in.take(in.u16());
        if (!in.ok())
            return "the last entry is cut short";
        if (number >= peers.size())
            return "an entry has a peer index that is not in the table of peers";
        added.peer_number = static_cast<std::uint16_t>(number);
        added.peer = peers[number].address;
        added.peer_as = peers[number].as;
        route_attributes route;
        if (const fault damage = skim_attributes(attributes, 4, attribute_place::table, route);
            !damage.empty())
            return damage;
        set_attributes(route, kind.of == family::ipv6, added);
    }
    if (!in.ok())
        return "the record is cut short";
    return in.left() == 0 ? fault{} : "bytes follow the last entry";
}

} // namespace fingerpost::io::mrt
