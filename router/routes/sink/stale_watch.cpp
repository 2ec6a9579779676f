// The states of a source and their transitions.
#include "router/routes/sink/stale_watch.hpp"

#include <algorithm>

namespace fingerpost::router {

std::string_view name_of(feed_state state) noexcept {
    constexpr std::string_view names[] = {"waiting", "complete", "away", "returning", "ended"};
    return names[static_cast<std::size_t>(state)];
}

void stale_watch::connected(time now) noexcept {
    state_ = feed_state::returning;
    changed_ = now;
    last_.reset();
}

void stale_watch::lost(time now) noexcept {
    state_ = feed_state::away;
    changed_ = now;
    if (!stale_since_)
        stale_since_ = now;
}

bool stale_watch::has_converged(const stale_routes& stale) const noexcept {
    const auto enough = [this](const stale_count& of) {
        const std::uint64_t back = of.former - std::min(of.left, of.former);
        return back * 100 >= of.former * times_.converged_percent;
    };
    return enough(stale.ipv4) && enough(stale.ipv6);
}

stale_watch::decision stale_watch::decide(time now, const stale_routes& stale) const noexcept {
    if (state_ == feed_state::away) {
        const time end = changed_ + times_.hold;
        return now >= end ? decision{true, std::nullopt} : decision{false, end};
    }
    if (state_ != feed_state::returning)
        return {};
    const time limit = changed_ + times_.limit;
    if (now >= limit)
        return {true, std::nullopt};
    if (!last_)
        return {false, limit};
    const time quiet = *last_ + times_.quiet;
    if (now < quiet)
        return {false, std::min(quiet, limit)};
    return has_converged(stale) ? decision{true, std::nullopt} : decision{false, limit};
}

void stale_watch::withdrawn() noexcept {
    state_ = state_ == feed_state::away ? feed_state::ended : feed_state::complete;
    stale_since_.reset();
}

} // namespace fingerpost::router
