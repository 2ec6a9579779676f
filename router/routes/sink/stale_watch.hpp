// Decides when the stale routes of a source are withdrawn. Contains only the rules, without sockets, timers
// or a clock.
//
//   complete   the source is connected, and all routes are its own
//   away       the source has gone. Its routes are stale, and packets follow them for the hold time
//   returning  the source is back and announces its routes again. Its other routes are stale until enough of
//              the former routes are back and nothing has arrived for the quiet time, or until the limit
//   ended      the source did not return within the hold time: its routes were withdrawn
//
// This distinguishes a restart from an end, like the graceful restart of BGP. A quiet time alone would not be
// enough: a zebra that has just started announces its own few routes immediately, and those of BGP only after
// a while.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "router/routes/sink/route_sink.hpp"

namespace fingerpost::router {

enum class feed_state : std::uint8_t { waiting, complete, away, returning, ended };
std::string_view name_of(feed_state state) noexcept;

struct stale_times {
    // How long routes stay without their source.
    std::chrono::milliseconds hold = std::chrono::minutes(5);
    // Long enough for pauses within a table.
    std::chrono::milliseconds quiet = std::chrono::seconds(5);
    // How long routes may stay stale after the source has returned.
    std::chrono::milliseconds limit = std::chrono::minutes(5);
    // A table counts as complete when this percentage of the former routes of each family is back.
    unsigned converged_percent = 95;
};

class stale_watch {
  public:
    using time = std::chrono::steady_clock::time_point;

    explicit stale_watch(const stale_times& times) noexcept : times_(times) {}

    void set_times(const stale_times& times) noexcept { times_ = times; }
    void connected(time now) noexcept;
    void lost(time now) noexcept;
    // The source has sent something.
    void heard(time now) noexcept { last_ = now; }

    // Whether to withdraw the stale routes now; otherwise when to decide again, if time alone can change the
    // decision.
    struct decision {
        bool withdraw = false;
        std::optional<time> again{};
    };
    decision decide(time now, const stale_routes& stale) const noexcept;
    // To be called after withdrawing the stale routes.
    void withdrawn() noexcept;

    feed_state state() const noexcept { return state_; }
    // Time at which the routes became stale.
    std::optional<time> stale_since() const noexcept { return stale_since_; }

  private:
    bool has_converged(const stale_routes& stale) const noexcept;

    stale_times times_;
    feed_state state_ = feed_state::waiting;
    time changed_{};             // when the source last went or came
    std::optional<time> last_{}; // when it last sent something on this connection
    std::optional<time> stale_since_{};
};

} // namespace fingerpost::router
