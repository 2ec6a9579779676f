// Polls for packets.
#include "cli/router/router_watch.hpp"

#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <thread>

#include "io/format/parts/printable.hpp"
#include "terminal/ending_signals.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

constexpr std::chrono::milliseconds between_questions{20};

} // namespace

void refuse_error(const answer& reply) {
    if (const answer& error = member_of(reply, "error"); error.is_string())
        throw failure(fmt::format("the router reports: {}", io::printable(error.get<std::string>())));
}

router_watch::router_watch(router_socket& router, const std::string& start, std::string_view next)
    : router_(&router), next_(next) {
    const answer started = router.ask(start);
    refuse_error(started);
    session_ = whole_of(started, "session");
    end_early_on_signals();
}

void router_watch::read(function_ref<bool(answer&)> take, function_ref<void()> flush) {
    bool is_stopped = false;
    for (;;) {
        if (is_end_asked() && !is_stopped) {
            router_->ask(fmt::format("watch_stop,{}", session_));
            is_stopped = true;
        }
        answer reply = router_->ask(fmt::format("{},{}", next_, session_));
        refuse_error(reply);
        missed_ = whole_of(reply, "missed");
        if (take(reply))
            continue;
        flush();
        if (whole_of(reply, "ended") == 1)
            return;
        std::this_thread::sleep_for(between_questions);
    }
}

} // namespace fingerpost::cli
