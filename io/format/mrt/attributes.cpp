// Reads path attributes quickly, skipping what is not needed (RFC 4271, 4760, 6793).
#include "io/format/mrt/attributes.hpp"

#include <cstdint>
#include <optional>

#include "io/format/mrt/types.hpp"

namespace fingerpost::io::mrt {
namespace {

constexpr std::uint8_t extended_length = 0x10; // a flag: the length field has two bytes
constexpr std::uint16_t as_trans = 23'456;     // replaces an AS number that needs four bytes

enum segment : std::uint8_t { as_set = 1, as_sequence = 2, confed_sequence = 3, confed_set = 4 };

struct path_summary {
    origin_as origin;
    // Number of ASes for comparing paths: a set counts as one, a confederation's members do not count.
    std::uint32_t length = 0;
};

// Reads the segments of an AS_PATH or AS4_PATH (RFC 4271, 6793) whose numbers have `width` bytes.
// Confederations (RFC 5065) are not origins. Returns nothing if the segments do not fit the path or if a
// segment's kind is unknown.
std::optional<path_summary> summarise_path(bytes path, unsigned width) noexcept {
    path_summary summary;
    byte_reader in(path);
    while (in.left() != 0) {
        const std::uint8_t kind = in.u8();
        const std::size_t count = in.u8();
        const bytes numbers = in.take(count * width);
        if (!in.ok() || kind < as_set || kind > confed_set)
            return std::nullopt;
        if (count == 0 || kind == confed_sequence || kind == confed_set)
            continue;
        const bool is_set = kind == as_set;
        summary.length += is_set ? 1 : static_cast<std::uint32_t>(count);
        summary.origin = {is_set ? numbers : numbers.last(width), width, is_set};
    }
    return summary;
}

// Collected first and interpreted later, because their meanings depend on each other.
struct path_attributes {
    std::optional<bytes> as_path;
    std::optional<bytes> as4_path;
    std::optional<bytes> aggregator;
    bool has_as4_aggregator = false;
};

// An IPv6 next hop may consist of two addresses; the first is the global one.
fault read_next_hop(bytes address, any_next_hop& out) {
    byte_reader in(address);
    switch (address.size()) {
    case 0:
        return {};
    case 4:
        out = in.address<ipv4_address>();
        return {};
    case 16:
    case 32:
        out = in.address<ipv6_address>();
        return {};
    default:
        return "the next hop in MP_REACH_NLRI is not an address";
    }
}

fault read_reach(bytes value, route_attributes& out) {
    byte_reader in(value);
    out.reach.afi = in.u16();
    out.reach.safi = in.u8();
    const bytes next_hop = in.take(in.u8());
    in.skip(1); // reserved; formerly the number of SNPAs
    if (!in.ok())
        return "MP_REACH_NLRI is cut short";
    out.reach.is_there = true;
    out.reach.prefixes = in.rest();
    // Routes of other families are not read, so their next hops are not needed.
    const bool is_known = (out.reach.afi == afi_ipv4 || out.reach.afi == afi_ipv6) &&
                          (out.reach.safi == safi_unicast || out.reach.safi == safi_multicast);
    return is_known ? read_next_hop(next_hop, out.mp_next_hop) : fault{};
}

// The first byte shows the form: a next hop is never 0 bytes long, and an address family is below 256.
fault read_table_reach(bytes value, route_attributes& out) {
    byte_reader in(value);
    if (!value.empty() && value.front() == std::byte{0})
        in.skip(3);
    const bytes next_hop = in.take(in.u8());
    return in.ok() ? read_next_hop(next_hop, out.mp_next_hop) : "MP_REACH_NLRI is cut short";
}

fault read_unreach(bytes value, route_attributes& out) {
    byte_reader in(value);
    out.unreach.afi = in.u16();
    out.unreach.safi = in.u8();
    if (!in.ok())
        return "MP_UNREACH_NLRI is cut short";
    out.unreach.is_there = true;
    out.unreach.prefixes = in.rest();
    return {};
}

// A router with 4-byte AS numbers prepends the 2-byte path to AS4_PATH, so the origin is that of AS4_PATH.
// AS4_PATH is ignored if a router without 4-byte AS numbers has aggregated the route since.
fault read_path(const path_attributes& paths, unsigned width, route_attributes& out) {
    if (!paths.as_path)
        return {};
    const auto path = summarise_path(*paths.as_path, width);
    if (!path)
        return "AS_PATH is damaged";
    out.origin = path->origin;
    out.path_length = path->length; // AS4_PATH is the same path with 4-byte numbers
    if (width == 4 || !paths.as4_path)
        return {};
    if (paths.aggregator && paths.has_as4_aggregator && byte_reader(*paths.aggregator).u16() != as_trans)
        return {};
    const auto path4 = summarise_path(*paths.as4_path, 4);
    if (path4 && path4->length != 0 && path4->length <= path->length)
        out.origin = path4->origin;
    return {};
}

fault take_attribute(std::uint8_t type, bytes value, attribute_place place, path_attributes& paths,
                     route_attributes& out) {
    const auto keep_first = [value](std::optional<bytes>& target) {
        if (!target)
            target = value;
    };
    switch (type) {
    case attribute_type::as_path:
        keep_first(paths.as_path);
        return {};
    case attribute_type::as4_path:
        keep_first(paths.as4_path);
        return {};
    case attribute_type::aggregator:
        keep_first(paths.aggregator);
        return {};
    case attribute_type::as4_aggregator:
        paths.has_as4_aggregator = true;
        return {};
    case attribute_type::next_hop:
        if (value.size() != 4)
            return "NEXT_HOP is not an address";
        if (out.next_hop.index() == 0)
            out.next_hop = byte_reader(value).address<ipv4_address>();
        return {};
    case attribute_type::mp_reach_nlri:
        if (place == attribute_place::table)
            return read_table_reach(value, out);
        return out.reach.is_there ? "MP_REACH_NLRI occurs twice" : read_reach(value, out);
    case attribute_type::mp_unreach_nlri:
        if (place == attribute_place::table)
            return {};
        return out.unreach.is_there ? "MP_UNREACH_NLRI occurs twice" : read_unreach(value, out);
    default:
        return {};
    }
}

} // namespace

fault skim_attributes(bytes attributes, unsigned as_width, attribute_place place, route_attributes& out) {
    path_attributes paths;
    byte_reader in(attributes);
    while (in.left() != 0) {
        const std::uint8_t flags = in.u8();
        const std::uint8_t type = in.u8();
        const std::size_t size = (flags & extended_length) != 0 ? in.u16() : in.u8();
        const bytes value = in.take(size);
        if (!in.ok())
            return "a path attribute extends past the end of the attributes";
        if (const fault damage = take_attribute(type, value, place, paths, out); !damage.empty())
            return damage;
    }
    return read_path(paths, as_width, out);
}

} // namespace fingerpost::io::mrt
