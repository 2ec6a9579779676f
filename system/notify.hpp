// Tells the service manager the state of the router by systemd's sd_notify protocol: a datagram of text to
// the socket that $NOTIFY_SOCKET names.
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
    // Made from the environment. Without the variable no messages are sent.
    static notifier from_environment();

    // `socket` is a path, or a name in the abstract name space with `@` as its first byte; if it is empty, no
    // messages are sent.
    explicit notifier(std::string socket) : socket_(std::move(socket)) {}

    // False if there is a service manager and it cannot be told; the router continues then.
    bool ready(std::string_view status) const noexcept;
    bool stopping(std::string_view status) const noexcept;
    bool status(std::string_view text) const noexcept;
    bool alive() const noexcept;

    // How often alive() must be called for this process: half of the interval that the service manager
    // allows.
    static std::optional<std::chrono::microseconds> watchdog_interval();

  private:
    bool send(std::string_view state, std::string_view status) const noexcept;

    std::string socket_;
};

} // namespace fingerpost::system
