// Requests VLAN devices from the kernel and waits for the answer to each request.
#include "router/routes/kernel/vlan_devices.hpp"

#include <cerrno>

#include <fmt/format.h>
#include <net/if.h>

#include "router/routes/netlink/netlink_request.hpp"
#include "router/routes/netlink/netlink_talk.hpp"

namespace fingerpost::router {

std::optional<system::failure> add_vlan_devices(const std::string& tap, std::span<const unsigned> ids) {
    if (ids.empty())
        return std::nullopt;
    netlink_talk kernel;
    if (!kernel)
        return system::system_failure("netlink", errno);
    const unsigned parent = if_nametoindex(tap.c_str());
    if (parent == 0)
        return system::system_failure("interface " + tap, errno);
    for (const unsigned id : ids) {
        const std::string name = fmt::format("{}.{}", tap, id);
        if (name.size() >= IF_NAMESIZE)
            return system::failure{fmt::format(
                "the name of the VLAN device '{}' would be longer than {} bytes: choose a shorter "
                "name for the port's TAP",
                name, IF_NAMESIZE - 1)};
        netlink_request request;
        const int error = kernel.ask(
            request.add_vlan(name.c_str(), parent, static_cast<std::uint16_t>(id), kernel.next_sequence()));
        if (error != 0 && error != EEXIST)
            return system::system_failure("VLAN device " + name, error);
    }
    return std::nullopt;
}

} // namespace fingerpost::router
