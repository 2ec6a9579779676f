// Reads a trace or capture of a running router until its end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/router/router_socket.hpp"
#include "cli/router/router_values.hpp"
#include "fingerpost/base/function_ref.hpp"

namespace fingerpost::cli {

// Throws failure with the router's message if the answer is an error.
void refuse_error(const answer& reply);

class router_watch {
  public:
    // Starts a session with the command `start` and reads from it with `next`. Throws failure if the router
    // refuses. From then on Ctrl-C and SIGTERM end the session, not the program.
    router_watch(router_socket& router, const std::string& start, std::string_view next);

    // Calls take(answer) for each answer until the session ends. `take` returns whether the answer had a
    // packet. Calls flush() before waiting for packets.
    void read(function_ref<bool(answer&)> take, function_ref<void()> flush);

    std::uint64_t session() const noexcept { return session_; }
    // Number of packets for which the router had no room.
    std::uint64_t missed() const noexcept { return missed_; }

  private:
    router_socket* router_;
    std::string next_;
    std::uint64_t session_ = 0;
    std::uint64_t missed_ = 0;
};

} // namespace fingerpost::cli
