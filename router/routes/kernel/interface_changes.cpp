// Sends one request for each change.
#include "router/routes/kernel/interface_changes.hpp"

#include <cerrno>
#include <fstream>
#include <variant>

#include <fmt/format.h>

#include "fingerpost/net/text.hpp"
#include "router/routes/netlink/netlink_request.hpp"

namespace fingerpost::router {
namespace {

std::string shown(const interface_address& address) {
    return fmt::format("address {}/{}", to_string(address.address), address.length);
}

} // namespace

expected<std::unique_ptr<interface_changes>, system::failure> interface_changes::open() {
    std::unique_ptr<interface_changes> changes(new interface_changes);
    if (!changes->kernel_)
        return unexpected{system::system_failure("netlink", errno)};
    return changes;
}

std::optional<system::failure> interface_changes::add(const interface_address& address) {
    netlink_request request;
    const int error = kernel_.ask(request.add_address(address, kernel_.next_sequence()));
    if (error != 0)
        return system::system_failure(shown(address), error);
    return std::nullopt;
}

std::optional<system::failure> interface_changes::remove(const interface_address& address) {
    netlink_request request;
    const int error = kernel_.ask(request.remove_address(address, kernel_.next_sequence()));
    if (error != 0 && error != EADDRNOTAVAIL)
        return system::system_failure(shown(address), error);
    return std::nullopt;
}

std::optional<system::failure> interface_changes::set_mtu(std::uint32_t interface, unsigned mtu) {
    netlink_request request;
    const int error = kernel_.ask(request.set_mtu(interface, mtu, kernel_.next_sequence()));
    if (error != 0)
        return system::system_failure(fmt::format("MTU {}", mtu), error);
    return std::nullopt;
}

void keep_secondary_addresses(const std::string& interface) {
    std::ofstream("/proc/sys/net/ipv4/conf/" + interface + "/promote_secondaries") << "1\n";
}

} // namespace fingerpost::router
