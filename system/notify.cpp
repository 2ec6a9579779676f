// Sends each message as a datagram on a new socket, because messages are rare.
#include "system/notify.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace fingerpost::system {
namespace {

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::optional<std::uint64_t> number(const std::string& text) {
    std::uint64_t value = 0;
    const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || fault != std::errc{} || stop != text.data() + text.size())
        return std::nullopt;
    return value;
}

bool send_datagram(const std::string& socket, std::string_view text) noexcept {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket.size() >= sizeof address.sun_path || (socket[0] != '/' && socket[0] != '@'))
        return false;
    std::memcpy(address.sun_path, socket.data(), socket.size());
    // Names in the abstract namespace may contain any bytes, so the length counts. They begin with a zero.
    if (socket[0] == '@')
        address.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket.size());
    const int opened = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (opened < 0)
        return false;
    const ssize_t sent = ::sendto(opened, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                                  reinterpret_cast<const sockaddr*>(&address), length);
    ::close(opened);
    return sent == static_cast<ssize_t>(text.size());
}

} // namespace

notifier notifier::from_environment() {
    return notifier(environment("NOTIFY_SOCKET"));
}

bool notifier::send(std::string_view state, std::string_view status) const noexcept {
    if (socket_.empty())
        return true;
    try {
        std::string text(state);
        if (!status.empty()) {
            // A line feed would begin another message.
            text += (text.empty() ? "STATUS=" : "\nSTATUS=") + std::string(status);
            std::replace(text.end() - static_cast<std::ptrdiff_t>(status.size()), text.end(), '\n', ' ');
        }
        return send_datagram(socket_, text);
    } catch (...) {
        return false;
    }
}

bool notifier::ready(std::string_view status) const noexcept {
    return send("READY=1", status);
}

bool notifier::stopping(std::string_view status) const noexcept {
    return send("STOPPING=1", status);
}

bool notifier::status(std::string_view text) const noexcept {
    return send("", text.empty() ? " " : text);
}

bool notifier::alive() const noexcept {
    return send("WATCHDOG=1", "");
}

std::optional<std::chrono::microseconds> notifier::watchdog_interval() {
    const auto allowed = number(environment("WATCHDOG_USEC"));
    const std::string process = environment("WATCHDOG_PID");
    if (!allowed || *allowed == 0 || (!process.empty() && process != std::to_string(::getpid())))
        return std::nullopt;
    return std::chrono::microseconds(*allowed / 2);
}

} // namespace fingerpost::system
