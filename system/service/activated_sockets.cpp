// Checks the kind of each descriptor.
#include "system/service/activated_sockets.hpp"

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace fingerpost::system {
namespace {

constexpr int first_descriptor = 3;
constexpr std::int64_t max_descriptors = 1024;

// Removes a variable and returns its number; nothing if it is not set or not a number.
std::optional<std::int64_t> take_number(const char* name) {
    const char* const set = std::getenv(name);
    const std::string_view text = set == nullptr ? std::string_view() : std::string_view(set);
    std::int64_t number = 0;
    const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = !text.empty() && fault == std::errc{} && stop == text.data() + text.size();
    ::unsetenv(name);
    return is_number ? std::optional(number) : std::nullopt;
}

std::optional<int> socket_option(int socket, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    return ::getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? std::optional(value) : std::nullopt;
}

std::string path_of(int socket) {
    sockaddr_un address{};
    socklen_t size = sizeof address;
    constexpr auto head = offsetof(sockaddr_un, sun_path);
    // A name in the abstract namespace begins with a zero.
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0 || size <= head ||
        address.sun_path[0] == '\0')
        return {};
    const std::string_view path(address.sun_path, size - head);
    return std::string(path.substr(0, path.find('\0')));
}

} // namespace

expected<std::vector<activated_socket>, failure> take_activated_sockets() {
    const auto process = take_number("LISTEN_PID");
    const auto count = take_number("LISTEN_FDS");
    ::unsetenv("LISTEN_FDNAMES");
    std::vector<activated_socket> sockets;
    if (!process || *process != ::getpid() || !count || *count <= 0)
        return sockets;
    if (*count > max_descriptors)
        return unexpected{
            failure{fmt::format("LISTEN_FDS: {} sockets, more than {}", *count, max_descriptors)}};
    for (int number = first_descriptor; number < first_descriptor + *count; ++number) {
        const int flags = ::fcntl(number, F_GETFL);
        if (flags < 0)
            return unexpected{system_failure(fmt::format("LISTEN_FDS: descriptor {}", number), errno)};
        activated_socket entry{.descriptor = unique_fd(number)};
        if (socket_option(number, SO_TYPE) != SOCK_STREAM || socket_option(number, SO_ACCEPTCONN) != 1)
            return unexpected{
                failure{fmt::format("LISTEN_FDS: descriptor {} is not a listening stream socket", number)}};
        entry.family = socket_option(number, SO_DOMAIN).value_or(0);
        if (entry.family == AF_UNIX)
            entry.path = path_of(number);
        else if (entry.family != AF_INET && entry.family != AF_INET6)
            return unexpected{
                failure{fmt::format("LISTEN_FDS: descriptor {} is neither TCP nor a unix socket", number)}};
        if (::fcntl(number, F_SETFD, FD_CLOEXEC) != 0 || ::fcntl(number, F_SETFL, flags | O_NONBLOCK) != 0)
            return unexpected{system_failure(fmt::format("LISTEN_FDS: descriptor {}", number), errno)};
        sockets.push_back(std::move(entry));
    }
    return sockets;
}

} // namespace fingerpost::system
