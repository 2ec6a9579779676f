// A connection to the telemetry socket of a running router, as DPDK serves it: a sequenced-packet socket that
// greets with one JSON object, then answers each packet, a command, with one packet of JSON.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "system/unique_fd.hpp"

namespace fingerpost::cli {

// What is left out, cut off or no JSON becomes a failure that names the socket.
class router_socket {
  public:
    // `patience` is how long each answer may take, the greeting too.
    router_socket(std::string path, std::chrono::milliseconds patience);

    // The object that the router answers to `/fingerpost/` and this command, its members in the order of the
    // answer.
    nlohmann::ordered_json ask(std::string_view command);

    const std::string& path() const noexcept { return path_; }
    // Of the router's process.
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
