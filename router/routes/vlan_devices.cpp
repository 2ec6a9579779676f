// Asks the kernel for VLAN devices and waits for its word on each.
#include "router/routes/vlan_devices.hpp"

#include <array>
#include <cerrno>
#include <memory>

#include <fmt/format.h>
#include <libmnl/libmnl.h>
#include <net/if.h>

#include "router/routes/netlink_request.hpp"

namespace fingerpost::router {
namespace {

struct closer {
    void operator()(mnl_socket* socket) const noexcept { mnl_socket_close(socket); }
};
using kernel_socket = std::unique_ptr<mnl_socket, closer>;

// 0, or the error number of the kernel's answer.
int ask(const kernel_socket& to, const nlmsghdr* message) {
    if (mnl_socket_sendto(to.get(), message, message->nlmsg_len) < 0)
        return errno;
    std::array<char, 4096> answer;
    const ssize_t bytes = mnl_socket_recvfrom(to.get(), answer.data(), answer.size());
    if (bytes < 0)
        return errno;
    const int more = mnl_cb_run(answer.data(), static_cast<std::size_t>(bytes), message->nlmsg_seq,
                                mnl_socket_get_portid(to.get()), nullptr, nullptr);
    return more < 0 ? errno : 0;
}

} // namespace

std::optional<failure> add_vlan_devices(const std::string& tap, std::span<const unsigned> ids) {
    if (ids.empty())
        return std::nullopt;
    const kernel_socket to(mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC));
    if (!to || mnl_socket_bind(to.get(), 0, MNL_SOCKET_AUTOPID) < 0)
        return system_failure("netlink", errno);
    const unsigned parent = if_nametoindex(tap.c_str());
    if (parent == 0)
        return system_failure("interface " + tap, errno);
    std::uint32_t sequence = 0;
    for (const unsigned id : ids) {
        const std::string name = fmt::format("{}.{}", tap, id);
        if (name.size() >= IF_NAMESIZE)
            return failure{fmt::format(
                "the name of the VLAN device '{}' would be longer than {} bytes: choose a shorter "
                "name for the port's TAP",
                name, IF_NAMESIZE - 1)};
        netlink_request request;
        const int error =
            ask(to, request.add_vlan(name.c_str(), parent, static_cast<std::uint16_t>(id), ++sequence));
        if (error != 0 && error != EEXIST)
            return system_failure("VLAN device " + name, error);
    }
    return std::nullopt;
}

} // namespace fingerpost::router
