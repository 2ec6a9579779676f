// Reading endpoints, and opening them.
#include "cli/serve/endpoint.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "cli/failure.hpp"
#include "cli/options.hpp"
#include "fingerpost/net/text.hpp"
#include "io/format/input_error.hpp"

namespace fingerpost::cli {
namespace {

struct any_address {
    sockaddr_storage bytes{};
    socklen_t size = 0;

    sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
};

any_address internet_address(const endpoint& where) {
    any_address made;
    auto* const ipv4 = reinterpret_cast<sockaddr_in*>(&made.bytes);
    auto* const ipv6 = reinterpret_cast<sockaddr_in6*>(&made.bytes);
    if (::inet_pton(AF_INET, where.address.c_str(), &ipv4->sin_addr) == 1) {
        ipv4->sin_family = AF_INET;
        ipv4->sin_port = htons(where.port);
        made.size = sizeof *ipv4;
    } else {
        ::inet_pton(AF_INET6, where.address.c_str(), &ipv6->sin6_addr);
        ipv6->sin6_family = AF_INET6;
        ipv6->sin6_port = htons(where.port);
        made.size = sizeof *ipv6;
    }
    return made;
}

std::uint16_t port_of(int socket) {
    any_address bound;
    bound.size = sizeof bound.bytes;
    ::getsockname(socket, bound.get(), &bound.size);
    return ntohs(bound.bytes.ss_family == AF_INET ? reinterpret_cast<sockaddr_in*>(&bound.bytes)->sin_port
                                                  : reinterpret_cast<sockaddr_in6*>(&bound.bytes)->sin6_port);
}

} // namespace

bool endpoint::is_loopback() const {
    if (const auto ipv4 = parse_address<ipv4_address>(address))
        return ipv4->value >> 24 == 127;
    const auto ipv6 = parse_address<ipv6_address>(address);
    return ipv6 && ipv6->value == 1;
}

std::string endpoint::text() const {
    return address.find(':') == std::string::npos ? fmt::format("{}:{}", address, port)
                                                  : fmt::format("[{}]:{}", address, port);
}

std::string read_endpoint(const std::string& text, endpoint& into) {
    const std::size_t colon = text.rfind(':');
    std::string address = colon == std::string::npos ? "127.0.0.1" : text.substr(0, colon);
    const bool is_bracketed = address.size() > 1 && address.front() == '[' && address.back() == ']';
    if (is_bracketed)
        address = address.substr(1, address.size() - 2);
    if (address == "localhost")
        address = "127.0.0.1";
    const bool is_address = is_bracketed ? parse_address<ipv6_address>(address).has_value()
                                         : parse_address<ipv4_address>(address).has_value();
    std::uint64_t port = 0;
    const std::string digits = colon == std::string::npos ? text : text.substr(colon + 1);
    if (!is_address || !read_number(digits, {0, 65535}, port).empty())
        return fmt::format("{} is no ADDRESS:PORT, as in 127.0.0.1:8080 or [::1]:8080", io::quoted(text));
    into = {std::move(address), static_cast<std::uint16_t>(port)};
    return {};
}

router::unique_fd listen_at(endpoint& where) {
    any_address address = internet_address(where);
    router::unique_fd made(
        ::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
    const int yes = 1;
    // So that a program started anew gets the port although connections of the former one linger.
    if (!made || ::setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        ::bind(made.get(), address.get(), address.size) != 0 || ::listen(made.get(), SOMAXCONN) != 0)
        throw failure(fmt::format("--http {}: {}", where.text(), std::strerror(errno)));
    where.port = port_of(made.get());
    return made;
}

} // namespace fingerpost::cli
