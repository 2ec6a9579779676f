// Reports the state of the router to the service manager by systemd's sd_notify protocol: a text datagram to
// the socket in $NOTIFY_SOCKET.
//
// The protocol: https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace fingerpost::system {

class notifier {
  public:
    // Uses $NOTIFY_SOCKET. Without it, no messages are sent.
    static notifier from_environment();

    // `socket` is a path, or `@` and a name in the abstract namespace. If it is empty, no messages are sent.
    explicit notifier(std::string socket) : socket_(std::move(socket)) {}

    // Return false if there is a service manager that cannot be reached. The router continues in that case.
    bool ready(std::string_view status) const noexcept;
    bool stopping(std::string_view status) const noexcept;
    bool status(std::string_view text) const noexcept;
    bool alive() const noexcept;

    // Interval at which this process must call alive(): half of the interval that the service manager allows.
    static std::optional<std::chrono::microseconds> watchdog_interval();

  private:
    bool send(std::string_view state, std::string_view status) const noexcept;

    std::string socket_;
};

} // namespace fingerpost::system
