// One request, one answer.
#include "router/routes/netlink/netlink_talk.hpp"

#include <array>
#include <cerrno>
#include <sys/socket.h>

namespace fingerpost::router {

netlink_talk::netlink_talk() : socket_(mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC)) {
    if (socket_ && mnl_socket_bind(socket_.get(), 0, MNL_SOCKET_AUTOPID) < 0)
        socket_.reset();
}

int netlink_talk::ask(const nlmsghdr* message, mnl_cb_t read, void* into) {
    if (mnl_socket_sendto(socket_.get(), message, message->nlmsg_len) < 0)
        return errno;
    std::array<char, 16'384> bytes; // fits a link with all its attributes
    const ssize_t count = mnl_socket_recvfrom(socket_.get(), bytes.data(), bytes.size());
    if (count < 0)
        return errno;
    const int more = mnl_cb_run(bytes.data(), static_cast<std::size_t>(count), message->nlmsg_seq,
                                mnl_socket_get_portid(socket_.get()), read, into);
    return more < 0 ? errno : 0;
}

} // namespace fingerpost::router
