// Addresses and ports for the system's socket calls.
#pragma once

#include <cstdint>
#include <string>

#include <sys/socket.h>

#include "router/routes/sink/destination.hpp"

namespace fingerpost::router {

struct socket_address {
    sockaddr_storage storage{};
    socklen_t length = sizeof(sockaddr_storage);

    sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
};

socket_address socket_address_of(const any_address& address, std::uint16_t port) noexcept;
std::uint16_t port_of(const socket_address& from) noexcept;
// `192.0.2.1:2620` or `[2001:db8::1]:2620`.
std::string to_string(const socket_address& from);

} // namespace fingerpost::router
