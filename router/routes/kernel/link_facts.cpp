// Requests the interface by its number, and reads the relevant attributes.
#include "router/routes/kernel/link_facts.hpp"

#include <algorithm>
#include <linux/if_link.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include "router/routes/netlink/netlink_attributes.hpp"
#include "router/routes/netlink/netlink_request.hpp"
#include "router/routes/netlink/netlink_talk.hpp"

namespace fingerpost::router {
namespace {

using netlink::attribute;
using netlink::fault;
using netlink::region;

fault read_tun(const attribute& field, link_facts& facts) {
    std::uint8_t flag = 0;
    std::uint32_t count = 0;
    fault failed;
    switch (field.type()) {
    case IFLA_TUN_TYPE:
        failed = field.read(flag, "IFLA_TUN_TYPE");
        facts.is_tap = flag == IFF_TAP;
        break;
    case IFLA_TUN_MULTI_QUEUE:
        failed = field.read(flag, "IFLA_TUN_MULTI_QUEUE");
        facts.has_queues = flag != 0;
        break;
    case IFLA_TUN_NUM_QUEUES:
    case IFLA_TUN_NUM_DISABLED_QUEUES:
        failed = field.read(count, "the number of queues");
        facts.files += count;
        break;
    default:
        break;
    }
    return failed;
}

fault read_kind(const attribute& field, link_facts& facts) {
    if (field.type() == IFLA_INFO_KIND) {
        const auto bytes = field.payload().bytes;
        facts.kind.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        facts.kind.erase(std::min(facts.kind.find('\0'), facts.kind.size()));
    }
    if (field.type() != IFLA_INFO_DATA || facts.kind != "tun")
        return std::nullopt;
    return for_each_attribute(field.payload(),
                              [&](const attribute& inner) { return read_tun(inner, facts); });
}

fault read_xdp(const attribute& field, link_facts& facts) {
    std::uint8_t how = XDP_ATTACHED_NONE;
    if (field.type() != IFLA_XDP_ATTACHED)
        return std::nullopt;
    const fault failed = field.read(how, "IFLA_XDP_ATTACHED");
    facts.has_xdp = how != XDP_ATTACHED_NONE;
    return failed;
}

fault read_attribute(const attribute& field, link_facts& facts) {
    switch (field.type()) {
    case IFLA_LINKINFO:
        return for_each_attribute(field.payload(),
                                  [&](const attribute& inner) { return read_kind(inner, facts); });
    case IFLA_XDP:
        return for_each_attribute(field.payload(),
                                  [&](const attribute& inner) { return read_xdp(inner, facts); });
    case IFLA_MAX_MTU:
        return field.read(facts.longest, "IFLA_MAX_MTU");
    default:
        return std::nullopt;
    }
}

int read_link(const nlmsghdr* message, void* into) {
    const auto* const start = static_cast<const std::byte*>(mnl_nlmsg_get_payload(message));
    const region payload{{start, mnl_nlmsg_get_payload_len(message)}};
    if (payload.bytes.size() < sizeof(ifinfomsg))
        return MNL_CB_ERROR;
    const auto visit = [&](const attribute& field) {
        return read_attribute(field, *static_cast<link_facts*>(into));
    };
    return for_each_attribute(payload.from(sizeof(ifinfomsg)), visit) ? MNL_CB_ERROR : MNL_CB_OK;
}

} // namespace

std::optional<link_facts> find_link(const std::string& name) {
    const unsigned number = if_nametoindex(name.c_str());
    netlink_talk kernel;
    if (number == 0 || !kernel)
        return std::nullopt;
    netlink_request request;
    link_facts facts;
    if (kernel.ask(request.link(number, kernel.next_sequence()), read_link, &facts) != 0)
        return std::nullopt;
    return facts;
}

} // namespace fingerpost::router
