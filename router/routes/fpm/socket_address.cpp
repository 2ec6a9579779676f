// Converts addresses to and from the structures of the system.
#include "router/routes/fpm/socket_address.hpp"

#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

namespace fingerpost::router {

namespace {

// The system expects these structures, each stored in a sockaddr_storage.
template <class T>
T part_of(const socket_address& from) noexcept {
    T part;
    std::memcpy(&part, &from.storage, sizeof part);
    return part;
}

template <class T>
socket_address whole_of(const T& part) noexcept {
    socket_address whole;
    std::memcpy(&whole.storage, &part, sizeof part);
    whole.length = sizeof part;
    return whole;
}

} // namespace

socket_address socket_address_of(const any_address& address, std::uint16_t port) noexcept {
    if (const auto* const four = std::get_if<ipv4_address>(&address)) {
        sockaddr_in part{};
        part.sin_family = AF_INET;
        part.sin_port = htons(port);
        part.sin_addr.s_addr = htonl(four->value);
        return whole_of(part);
    }
    u128 value = std::get_if<ipv6_address>(&address)->value;
    sockaddr_in6 part{};
    part.sin6_family = AF_INET6;
    part.sin6_port = htons(port);
    for (unsigned i = 16; i-- > 0; value >>= 8)
        part.sin6_addr.s6_addr[i] = static_cast<std::uint8_t>(value);
    return whole_of(part);
}

std::uint16_t port_of(const socket_address& from) noexcept {
    return ntohs(from.storage.ss_family == AF_INET ? part_of<sockaddr_in>(from).sin_port
                                                   : part_of<sockaddr_in6>(from).sin6_port);
}

std::string to_string(const socket_address& from) {
    char text[INET6_ADDRSTRLEN] = "";
    if (from.storage.ss_family == AF_INET) {
        const auto part = part_of<sockaddr_in>(from);
        ::inet_ntop(AF_INET, &part.sin_addr, text, sizeof text);
        return fmt::format("{}:{}", text, port_of(from));
    }
    const auto part = part_of<sockaddr_in6>(from);
    ::inet_ntop(AF_INET6, &part.sin6_addr, text, sizeof text);
    return fmt::format("[{}]:{}", text, port_of(from));
}

} // namespace fingerpost::router
