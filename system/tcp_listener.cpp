// Parses addresses of sockets, and listens at them.
#include "system/tcp_listener.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>

namespace fingerpost::system {
namespace {

struct tcp_address {
    sockaddr_storage bytes{};
    socklen_t size = 0;

    sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
};

tcp_address tcp_address_of(const std::string& address, std::uint16_t port) {
    tcp_address made;
    auto* const ipv4 = reinterpret_cast<sockaddr_in*>(&made.bytes);
    auto* const ipv6 = reinterpret_cast<sockaddr_in6*>(&made.bytes);
    if (::inet_pton(AF_INET, address.c_str(), &ipv4->sin_addr) == 1) {
        ipv4->sin_family = AF_INET;
        ipv4->sin_port = htons(port);
        made.size = sizeof *ipv4;
    } else {
        ::inet_pton(AF_INET6, address.c_str(), &ipv6->sin6_addr);
        ipv6->sin6_family = AF_INET6;
        ipv6->sin6_port = htons(port);
        made.size = sizeof *ipv6;
    }
    return made;
}

std::uint16_t port_of(int socket) {
    tcp_address bound;
    bound.size = sizeof bound.bytes;
    ::getsockname(socket, bound.get(), &bound.size);
    return ntohs(bound.bytes.ss_family == AF_INET ? reinterpret_cast<sockaddr_in*>(&bound.bytes)->sin_port
                                                  : reinterpret_cast<sockaddr_in6*>(&bound.bytes)->sin6_port);
}

} // namespace

expected<unique_fd, failure> listen_tcp(const std::string& address, std::uint16_t& port) {
    tcp_address where = tcp_address_of(address, port);
    unique_fd made(::socket(where.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
    const int yes = 1;
    // So that a restarted program gets the port although connections of the previous one linger.
    if (!made || ::setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        ::bind(made.get(), where.get(), where.size) != 0 || ::listen(made.get(), SOMAXCONN) != 0)
        return unexpected{failure{std::strerror(errno)}};
    port = port_of(made.get());
    return made;
}

} // namespace fingerpost::system
