// The running trace and capture, at most one of each. For the control thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "router/trace/packet_report.hpp"
#include "router/trace/packet_reporter.hpp"
#include "router/trace/watch_session.hpp"
#include "router/watch/packet_watch.hpp"

namespace fingerpost::router {

// The result of a read: a packet if there is one.
template <class Packet>
struct watch_reading {
    bool has_ended = false; // no further packets will come
    std::uint64_t missed = 0;
    std::optional<Packet> packet{};
};

class watch_sessions {
  public:
    using clock = std::chrono::steady_clock;

    // `ports` are the names of the ports. The engine must outlive this object, and its threads must end
    // before this object does.
    watch_sessions(engine& of, std::vector<std::string> ports);

    // Return the number of the session, or a sentence as an error. Throw std::bad_alloc.
    expected<std::uint64_t, std::string> start_trace(const trace_filter& filter,
                                                     std::chrono::milliseconds most);
    expected<std::uint64_t, std::string> start_capture(std::uint64_t count, std::chrono::milliseconds most);
    // The number of a port; none if no port has this name.
    std::optional<std::uint16_t> find_port(std::string_view name) const;
    const std::vector<std::string>& ports() const noexcept { return ports_; }

    // None if there is no such session: it was read to its end, or another session has replaced it because
    // its reader was silent for too long.
    std::optional<watch_reading<packet_report>> read_trace(std::uint64_t session);
    std::optional<watch_reading<dropped_packet>> read_capture(std::uint64_t session);
    // Ends a session of either kind early. Packets that it already has can still be read.
    void stop(std::uint64_t session);

    // To be called regularly. Costs nothing without a session.
    void poll();

    const cycle_clock& clock_of_packets() const noexcept { return cycles_; }

  private:
    void collect(bool unfinished);

    engine* engine_;
    std::vector<std::string> ports_;
    cycle_clock cycles_;
    std::optional<trace_mark> mark_;
    std::optional<packet_reporter> reporter_;
    watch_session<packet_trace> trace_;
    watch_session<drop_capture> capture_;
    std::uint64_t last_session_ = 0;
    std::uint64_t trace_number_ = 0;
    std::uint64_t capture_number_ = 0;
    std::uint64_t finished_ = 0; // packets of the trace with a finished description
    std::deque<packet_report> reports_;
};

} // namespace fingerpost::router
