// Decodes records of BGP messages (RFC 6396, 4.4 and B.2; RFC 4271; RFC 8050).
#include "io/format/mrt/messages.hpp"

#include <algorithm>
#include <optional>

#include "io/format/mrt/attributes.hpp"
#include "io/format/mrt/prefixes.hpp"
#include "io/format/mrt/types.hpp"

namespace fingerpost::io::mrt {
namespace {

constexpr std::size_t marker_bytes = 16;

// Encoding of the updates in a record.
struct encoding {
    unsigned as_width = 2;
    path_ids ids = path_ids::absent;
};

// Reads the lists of one UPDATE message.
class update_reader {
  public:
    update_reader(encoding format, entry like, std::vector<entry>& out, counts& totals)
        : format_(format), like_(std::move(like)), out_(out), totals_(totals) {}

    fault read(bytes body) {
        byte_reader in(body);
        const bytes withdrawn = in.take(in.u16());
        const bytes attributes = in.take(in.u16());
        if (!in.ok())
            return "the lists of the UPDATE extend past the end of the message";
        route_attributes route;
        if (const fault damage =
                skim_attributes(attributes, format_.as_width, attribute_place::message, route);
            !damage.empty())
            return damage;
        like_.kind = entry_kind::withdraw;
        if (const fault damage = append(withdrawn, family::ipv4); !damage.empty())
            return damage;
        if (const fault damage = append(route.unreach); !damage.empty())
            return damage;
        like_.kind = entry_kind::announce;
        like_.origin = route.origin;
        like_.path_length = route.path_length;
        like_.next_hop = route.next_hop;
        if (const fault damage = append(in.rest(), family::ipv4); !damage.empty())
            return damage;
        like_.next_hop = route.mp_next_hop;
        return append(route.reach);
    }

  private:
    fault append(bytes list, family kind) {
        return append_prefixes(list, kind, format_.ids, like_, out_, totals_.guessed_path_ids);
    }
    fault append(const family_prefixes& list) {
        if (!list.is_there)
            return {};
        const bool is_known = (list.safi == safi_unicast || list.safi == safi_multicast) &&
                              (list.afi == afi_ipv4 || list.afi == afi_ipv6);
        if (!is_known) {
            totals_.skip(skipped::other_family);
            return {};
        }
        like_.is_multicast = list.safi == safi_multicast;
        const fault damage = append(list.prefixes, list.afi == afi_ipv4 ? family::ipv4 : family::ipv6);
        like_.is_multicast = false;
        return damage;
    }

    encoding format_;
    entry like_;
    std::vector<entry>& out_;
    counts& totals_;
};

skipped kind_of_message(std::uint8_t type) {
    switch (type) {
    case message_type::open:
        return skipped::open;
    case message_type::notification:
        return skipped::notification;
    case message_type::keepalive:
        return skipped::keepalive;
    case message_type::route_refresh:
        return skipped::route_refresh;
    default:
        return skipped::other_message;
    }
}

fault read_message(bytes message, encoding format, const entry& like, std::vector<entry>& out,
                   counts& totals) {
    byte_reader in(message);
    const bytes marker = in.take(marker_bytes);
    const std::size_t size = in.u16();
    const std::uint8_t type = in.u8();
    if (!in.ok())
        return "the BGP message is cut short";
    if (std::any_of(marker.begin(), marker.end(), [](std::byte b) { return b != std::byte{0xff}; }))
        return "the BGP message has no marker";
    if (size != message.size())
        return "the record and its BGP message have different lengths";
    if (type == message_type::update)
        return update_reader(format, like, out, totals).read(in.rest());
    totals.skip(kind_of_message(type));
    return {};
}

// Returns the encoding of a BGP4MP subtype; nothing for subtypes without messages.
std::optional<encoding> encoding_of(std::uint16_t subtype) {
    switch (subtype) {
    case bgp4mp_subtype::message:
    case bgp4mp_subtype::message_local:
        return encoding{2, path_ids::absent};
    case bgp4mp_subtype::message_as4:
    case bgp4mp_subtype::message_as4_local:
        return encoding{4, path_ids::absent};
    case bgp4mp_subtype::message_addpath:
    case bgp4mp_subtype::message_local_addpath:
        return encoding{2, path_ids::present};
    case bgp4mp_subtype::message_as4_addpath:
    case bgp4mp_subtype::message_as4_local_addpath:
        return encoding{4, path_ids::present};
    default:
        return std::nullopt;
    }
}

bool is_local(std::uint16_t subtype) {
    return subtype == bgp4mp_subtype::message_local || subtype == bgp4mp_subtype::message_as4_local ||
           subtype == bgp4mp_subtype::message_local_addpath ||
           subtype == bgp4mp_subtype::message_as4_local_addpath;
}

} // namespace

fault read_bgp4mp(const record& whole, std::vector<entry>& out, counts& totals) {
    const auto format = encoding_of(whole.subtype);
    if (!format) {
        const bool is_change = whole.subtype == bgp4mp_subtype::state_change ||
                               whole.subtype == bgp4mp_subtype::state_change_as4;
        totals.skip(is_change ? skipped::state_change : skipped::other_record);
        return {};
    }
    byte_reader in(whole.body);
    entry like;
    like.seconds = whole.seconds;
    like.is_local = is_local(whole.subtype);
    if (whole.type == type::bgp4mp_et)
        like.microseconds = in.u32();
    like.peer_as = format->as_width == 4 ? in.u32() : in.u16();
    in.skip(format->as_width); // AS of the recording router
    in.skip(2);                // index of its interface
    switch (in.u16()) {
    case afi_ipv4:
        like.peer = in.address<ipv4_address>();
        in.skip(4); // address of the recording router
        break;
    case afi_ipv6:
        like.peer = in.address<ipv6_address>();
        in.skip(16);
        break;
    default:
        return in.ok() ? "the peer has an unknown address family" : "the record is cut short";
    }
    if (!in.ok())
        return "the record is cut short";
    return read_message(in.rest(), *format, like, out, totals);
}

fault read_bgp(const record& whole, std::vector<entry>& out, counts& totals) {
    switch (whole.subtype) {
    case bgp_subtype::update:
        break;
    case bgp_subtype::state_change:
        totals.skip(skipped::state_change);
        return {};
    case bgp_subtype::open:
        totals.skip(skipped::open);
        return {};
    case bgp_subtype::notification:
        totals.skip(skipped::notification);
        return {};
    case bgp_subtype::keepalive:
        totals.skip(skipped::keepalive);
        return {};
    default:
        totals.skip(skipped::other_record);
        return {};
    }
    byte_reader in(whole.body);
    entry like;
    like.seconds = whole.seconds;
    like.peer_as = in.u16();
    like.peer = in.address<ipv4_address>();
    in.skip(2 + 4); // AS and address of the recording router
    if (!in.ok())
        return "the record is cut short";
    return update_reader({}, like, out, totals).read(in.rest());
}

} // namespace fingerpost::io::mrt
