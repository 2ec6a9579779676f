// A connection to the telemetry socket of a running router, in DPDK's protocol: a sequenced-packet socket
// that greets with one JSON object, then answers each packet, a command, with one packet of JSON.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "system/unique_fd.hpp"

namespace fingerpost::cli {

// Missing, cut off and invalid answers become a failure that names the socket.
class router_socket {
  public:
    // `patience` is the time that each answer may take, including the greeting.
    router_socket(std::string path, std::chrono::milliseconds patience);

    // The object with which the router answers `/fingerpost/` followed by this command, with members in the
    // order of the answer.
    nlohmann::ordered_json ask(std::string_view command);

    const std::string& path() const noexcept { return path_; }
    // The id of the router's process.
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
