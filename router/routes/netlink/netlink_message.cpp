// Splits bytes into netlink messages and passes each to the decoder of its type.
#include "router/routes/netlink/netlink_message.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>

#include <linux/rtnetlink.h>

#include "router/routes/netlink/netlink_decoders.hpp"

namespace fingerpost::router {

namespace {

using namespace netlink;

constexpr ipv6_prefix link_local = ipv6_prefix::make({u128{0xfe80} << 112}, 10);
constexpr ipv6_prefix multicast = ipv6_prefix::make({u128{0xff00} << 112}, 8);

// NLMSG_ERROR and NLMSG_DONE begin with a negative errno, or 0.
fault decode_answer(const region& in, bool ends_dump, netlink_message& out) {
    std::int32_t code = 0;
    if (in.bytes.size() >= sizeof code)
        code = *header_of<std::int32_t>(in);
    else if (!ends_dump)
        return error_at(in.offset, "an error message of {} bytes", in.bytes.size());
    if (code > 0 || code == std::numeric_limits<std::int32_t>::min())
        return error_at(in.offset, "an error message with the number {}", code);
    out.body = answer_message{ends_dump, -code};
    return std::nullopt;
}

fault decode_body(std::uint16_t type, const region& in, netlink_message& out) {
    switch (type) {
    case NLMSG_ERROR:
    case NLMSG_DONE:
        return decode_answer(in, type == NLMSG_DONE, out);
    case RTM_NEWROUTE:
    case RTM_DELROUTE:
        return decode_route(in, type == RTM_DELROUTE, out);
    case RTM_NEWNEXTHOP:
    case RTM_DELNEXTHOP:
        return decode_next_hop(in, type == RTM_DELNEXTHOP, out);
    case RTM_NEWLINK:
    case RTM_DELLINK:
        return decode_link(in, type == RTM_DELLINK, out);
    case RTM_NEWADDR:
    case RTM_DELADDR:
        return decode_address(in, type == RTM_DELADDR, out);
    case RTM_NEWNEIGH:
    case RTM_DELNEIGH:
        return decode_neighbour(in, type == RTM_DELNEIGH, out);
    default:
        return std::nullopt;
    }
}

expected<netlink_messages, netlink_error> decode_aligned(std::span<const std::byte> bytes) {
    netlink_messages messages;
    region left{bytes, 0};
    while (left.bytes.size() >= NLMSG_ALIGNTO) {
        const auto header = header_of<nlmsghdr>(left);
        if (!header)
            return unexpected{
                error_at(left.offset, "{} bytes, too few for a netlink header", left.bytes.size())};
        if (header->nlmsg_len < sizeof(nlmsghdr) || header->nlmsg_len > left.bytes.size())
            return unexpected{error_at(left.offset, "a netlink message of {} bytes where {} are left",
                                       header->nlmsg_len, left.bytes.size())};
        netlink_message& message = messages.emplace_back();
        message.flags = header->nlmsg_flags;
        message.sequence = header->nlmsg_seq;
        message.body = other_message{header->nlmsg_type};
        const region body = left.first(header->nlmsg_len).from(sizeof(nlmsghdr));
        if (fault failed = decode_body(header->nlmsg_type, body, message))
            return unexpected{std::move(*failed)};
        left =
            left.from(std::min<std::size_t>(NLMSG_ALIGN(std::size_t{header->nlmsg_len}), left.bytes.size()));
    }
    return messages;
}

} // namespace

expected<netlink_messages, netlink_error> decode_netlink(std::span<const std::byte> bytes) {
    // libmnl reads attributes in place, at multiples of four bytes from the start. Empty input has no
    // address.
    if (bytes.empty() || reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(nlmsghdr) == 0)
        return decode_aligned(bytes);
    std::vector<std::uint32_t> copy((bytes.size() + 3) / 4);
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    return decode_aligned(std::as_bytes(std::span(copy)).first(bytes.size()));
}

std::optional<action> forwarded_as(const route_message& route) noexcept {
    switch (route.type) {
    case RTN_UNICAST:
        return action::forward;
    case RTN_LOCAL:
        return action::local;
    case RTN_BLACKHOLE:
        return action::blackhole;
    case RTN_UNREACHABLE:
    case RTN_THROW:
        return action::unreachable;
    case RTN_PROHIBIT:
        return action::prohibit;
    default:
        return std::nullopt;
    }
}

bool is_forwarded(const any_prefix& where) noexcept {
    const auto* const six = std::get_if<ipv6_prefix>(&where);
    return six == nullptr || (!link_local.covers(*six) && !multicast.covers(*six));
}

destination destination_of(const route_message& route) {
    const action what = forwarded_as(route).value_or(action::unreachable);
    if (what != action::forward)
        return {what, {}};
    if (route.paths.empty())
        return {action::unreachable, {}};
    return {what, route.paths};
}

} // namespace fingerpost::router
