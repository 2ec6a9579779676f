// One client of the line protocol: each line gets one answer line, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "cli/serve/sessions.hpp"
#include "cli/serve/table/reloader.hpp"
#include "io/format/parts/lines.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::cli {

class line_client {
  public:
    explicit line_client(system::unique_fd socket) : socket_(std::move(socket)) {}

    enum class state : std::uint8_t {
        open,    // waits for lines, or for the client to read
        drained, // no more lines available for now
        over,    // everything is answered, or the client has gone
    };

    // Sends waiting answers. Then, unless too much is still unsent, reads once and answers the lines from one
    // table. Adds the number of lines to `counted`.
    state step(session& room, const reloader& tables, std::uint64_t& counted);
    // Ignores further lines. The client is over once everything is sent.
    void stop_reading() noexcept { ended_ = true; }

    // The epoll events to wait for.
    std::uint32_t awaited_events() const noexcept;
    int descriptor() const noexcept { return socket_.get(); }
    bool has_unsent() const noexcept { return !out_.empty(); }

  private:
    bool is_full() const noexcept;
    bool send();
    void answer(std::string_view bytes, session& room, const reloader& tables, std::uint64_t& counted);

    system::unique_fd socket_;
    io::line_cutter lines_;
    std::string out_; // not sent yet
    bool ended_ = false;
};

} // namespace fingerpost::cli
