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

int netlink_talk::ask(const nlmsghdr* message) {
    if (mnl_socket_sendto(socket_.get(), message, message->nlmsg_len) < 0)
        return errno;
    std::array<char, 4096> answer;
    const ssize_t bytes = mnl_socket_recvfrom(socket_.get(), answer.data(), answer.size());
    if (bytes < 0)
        return errno;
    const int more = mnl_cb_run(answer.data(), static_cast<std::size_t>(bytes), message->nlmsg_seq,
                                mnl_socket_get_portid(socket_.get()), nullptr, nullptr);
    return more < 0 ? errno : 0;
}

} // namespace fingerpost::router
