// When the stale routes of a source are withdrawn: only the rules, without sockets, timers or a clock.
//
//     complete    the source is there, and all routes are its own
//     away        it has gone. Its routes are stale and packets follow them, for the hold time
//     returning   it is back and announces its routes again. What it has not announced is stale until enough
//                 of the former routes are back and nothing has come for the quiet time, or until the limit
//     ended       it did not come back within the hold time: its routes were withdrawn
//
// So a restart is distinguished from an end, as in the graceful restart of BGP. A quiet time alone would not
// be enough: a zebra that has just started has its own few routes at once, and those of BGP only after a
// while.
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
    // How long routes stay stale at most once the source is back.
    std::chrono::milliseconds limit = std::chrono::minutes(5);
    // A table counts as complete when this many percent of the routes that each family had are back.
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

    // Whether the stale routes must be withdrawn now; otherwise when to ask again, if time alone can change
    // the answer.
    struct decision {
        bool withdraw = false;
        std::optional<time> again{};
    };
    decision decide(time now, const stale_routes& stale) const noexcept;
    // Call it after withdrawing them.
    void withdrawn() noexcept;

    feed_state state() const noexcept { return state_; }
    // When the routes became stale.
    std::optional<time> stale_since() const noexcept { return stale_since_; }

  private:
    bool has_converged(const stale_routes& stale) const noexcept;

    stale_times times_;
    feed_state state_ = feed_state::waiting;
    time changed_{};             // when the source went or came
    std::optional<time> last_{}; // when it sent something on this connection
    std::optional<time> stale_since_{};
};

} // namespace fingerpost::router
