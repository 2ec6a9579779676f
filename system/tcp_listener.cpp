// Parses socket addresses, and listens on them.
#include "system/tcp_listener.hpp"

#include <arpa/inet.h>
#include <array>
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
    tcp_address result;
    auto* const ipv4 = reinterpret_cast<sockaddr_in*>(&result.bytes);
    auto* const ipv6 = reinterpret_cast<sockaddr_in6*>(&result.bytes);
    if (::inet_pton(AF_INET, address.c_str(), &ipv4->sin_addr) == 1) {
        ipv4->sin_family = AF_INET;
        ipv4->sin_port = htons(port);
        result.size = sizeof *ipv4;
    } else {
        ::inet_pton(AF_INET6, address.c_str(), &ipv6->sin6_addr);
        ipv6->sin6_family = AF_INET6;
        ipv6->sin6_port = htons(port);
        result.size = sizeof *ipv6;
    }
    return result;
}

// `query` is getsockname or getpeername.
std::optional<tcp_place> place_by(int (*query)(int, sockaddr*, socklen_t*), int socket) {
    tcp_address place;
    place.size = sizeof place.bytes;
    if (query(socket, place.get(), &place.size) != 0)
        return std::nullopt;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (place.bytes.ss_family == AF_INET) {
        const auto* const ipv4 = reinterpret_cast<const sockaddr_in*>(&place.bytes);
        ::inet_ntop(AF_INET, &ipv4->sin_addr, text.data(), text.size());
        return tcp_place{text.data(), ntohs(ipv4->sin_port)};
    }
    if (place.bytes.ss_family != AF_INET6)
        return std::nullopt;
    const auto* const ipv6 = reinterpret_cast<const sockaddr_in6*>(&place.bytes);
    if (IN6_IS_ADDR_V4MAPPED(&ipv6->sin6_addr))
        ::inet_ntop(AF_INET, ipv6->sin6_addr.s6_addr + 12, text.data(), text.size());
    else
        ::inet_ntop(AF_INET6, &ipv6->sin6_addr, text.data(), text.size());
    return tcp_place{text.data(), ntohs(ipv6->sin6_port)};
}

} // namespace

expected<unique_fd, failure> listen_tcp(const std::string& address, std::uint16_t& port) {
    tcp_address where = tcp_address_of(address, port);
    unique_fd socket(
        ::socket(where.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
    const int yes = 1;
    // Lets a restarted program use the port although connections of the previous one linger.
    if (!socket || ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        ::bind(socket.get(), where.get(), where.size) != 0 || ::listen(socket.get(), SOMAXCONN) != 0)
        return unexpected{failure{std::strerror(errno)}};
    port = place_of(socket.get()).value_or(tcp_place{}).port;
    return socket;
}

std::string tcp_place::text() const {
    const bool is_ipv4 = address.find(':') == std::string::npos;
    return (is_ipv4 ? address : '[' + address + ']') + ':' + std::to_string(port);
}

std::optional<tcp_place> place_of(int socket) {
    return place_by(::getsockname, socket);
}

tcp_place peer_of(int socket) {
    return place_by(::getpeername, socket).value_or(tcp_place{});
}

} // namespace fingerpost::system
