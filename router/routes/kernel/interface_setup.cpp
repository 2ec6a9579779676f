// Sends the requests one after another.
#include "router/routes/kernel/interface_setup.hpp"

#include <cerrno>

#include <fmt/format.h>
#include <net/if.h>

#include "fingerpost/net/text.hpp"
#include "router/routes/netlink/netlink_request.hpp"
#include "router/routes/netlink/netlink_talk.hpp"

namespace fingerpost::router {

std::optional<system::failure> set_up_interface(const std::string& name,
                                                std::span<const interface_address> addresses) {
    netlink_talk kernel;
    if (!kernel)
        return system::system_failure("netlink", errno);
    const unsigned number = if_nametoindex(name.c_str());
    if (number == 0)
        return system::system_failure("interface " + name, errno);
    netlink_request up;
    if (const int error = kernel.ask(up.set_up(number, kernel.next_sequence())); error != 0)
        return system::system_failure("interface " + name, error);
    for (interface_address address : addresses) {
        address.interface = number;
        netlink_request request;
        if (const int error = kernel.ask(request.add_address(address, kernel.next_sequence())); error != 0)
            return system::system_failure(
                fmt::format("address {}/{} on {}", to_string(address.address), address.length, name), error);
    }
    return std::nullopt;
}

} // namespace fingerpost::router
