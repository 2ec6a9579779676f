// Tells the service manager how the router is: systemd's sd_notify protocol, a datagram of text to the socket
// that $NOTIFY_SOCKET names.
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
    // From the environment. Without the variable nobody is told anything.
    static notifier from_environment();

    // `socket` is a path, or a name in the abstract name space with `@` for its first byte; empty for nobody.
    explicit notifier(std::string socket) : socket_(std::move(socket)) {}

    // False when there is a service manager and it cannot be told; the router goes on then.
    bool ready(std::string_view status) const noexcept;
    bool stopping(std::string_view status) const noexcept;
    bool status(std::string_view text) const noexcept;
    bool alive() const noexcept;

    // How often alive() must be called for this process: half of what the service manager allows.
    static std::optional<std::chrono::microseconds> watchdog_interval();

  private:
    bool send(std::string_view state, std::string_view status) const noexcept;

    std::string socket_;
};

} // namespace fingerpost::system
