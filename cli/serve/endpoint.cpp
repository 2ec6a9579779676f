// Parses and opens endpoints.
#include "cli/serve/endpoint.hpp"

#include <fmt/format.h>
#include <utility>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/input_error.hpp"
#include "system/http/http_hosts.hpp"
#include "system/tcp_listener.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {
bool endpoint::is_loopback() const {
    return system::is_loopback_address(address);
}

std::string endpoint::text() const {
    return system::tcp_place{address, port}.text();
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
        return fmt::format("{} is not ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080", io::quoted(text));
    into = {std::move(address), static_cast<std::uint16_t>(port)};
    return {};
}

system::unique_fd listen_at(endpoint& where) {
    auto listener = system::listen_tcp(where.address, where.port);
    if (!listener)
        throw failure(fmt::format("--http {}: {}", where.text(), listener.error().reason));
    return std::move(*listener);
}

} // namespace fingerpost::cli
