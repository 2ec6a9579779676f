// Binds the name, or asks the kernel which process has bound it.
#include "router/ports/interface_claim.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>

#include <fmt/format.h>

namespace fingerpost::router {
namespace {

struct name_of_claim {
    sockaddr_un address{};
    socklen_t length = 0;

    const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&address); }
};

name_of_claim name_for(const std::string& interface) {
    const std::string name = "fingerpost-router/" + interface;
    name_of_claim claim;
    claim.address.sun_family = AF_UNIX;
    // The first byte of an abstract name is zero.
    const std::size_t bytes = std::min(name.size(), sizeof claim.address.sun_path - 1);
    std::memcpy(claim.address.sun_path + 1, name.data(), bytes);
    claim.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + bytes);
    return claim;
}

system::unique_fd open_socket() {
    return system::unique_fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// ` (process 7)`, or an empty text if unknown.
std::string holder_of(const name_of_claim& name) {
    const system::unique_fd asking = open_socket();
    ucred who{};
    socklen_t length = sizeof who;
    if (::connect(asking.get(), name.get(), name.length) != 0 ||
        ::getsockopt(asking.get(), SOL_SOCKET, SO_PEERCRED, &who, &length) != 0)
        return {};
    return fmt::format(" (process {})", who.pid);
}

} // namespace

expected<interface_claim, std::string> interface_claim::take(const std::string& interface) {
    const name_of_claim name = name_for(interface);
    system::unique_fd socket = open_socket();
    if (::bind(socket.get(), name.get(), name.length) == 0 && ::listen(socket.get(), 8) == 0)
        return interface_claim(std::move(socket));
    if (errno == EADDRINUSE)
        return unexpected{fmt::format("another router{} uses the interface {}", holder_of(name), interface)};
    return unexpected{fmt::format("the interface {} cannot be claimed: {}", interface, std::strerror(errno))};
}

} // namespace fingerpost::router
