// A connection to the telemetry socket of a running router. DPDK's protocol uses a sequenced-packet socket: a
// greeting, then one packet of JSON for each command packet.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "system/unique_fd.hpp"

namespace fingerpost::cli {

// Reports missing, truncated and invalid answers as failures that name the socket.
class router_socket {
  public:
    // `patience` limits the time for the greeting and for each answer.
    router_socket(std::string path, std::chrono::milliseconds patience);

    // Sends `/fingerpost/` with this command and returns the router's object, with members in their original
    // order.
    nlohmann::ordered_json ask(std::string_view command);

    const std::string& path() const noexcept { return path_; }
    // Process ID of the router.
    std::uint64_t pid() const noexcept { return pid_; }

  private:
    void connect();
    void read_greeting();
    void send(const std::string& command);
    std::string receive(std::string_view what);
    void wait_for(short event, std::string_view what);
    nlohmann::ordered_json parse(const std::string& text, std::string_view what) const;
    [[noreturn]] void fail(std::string_view words) const;

    std::string path_;
    std::chrono::milliseconds patience_;
    system::unique_fd socket_;
    std::uint64_t pid_ = 0;
    std::size_t longest_;
};

} // namespace fingerpost::cli
