// Determines the differences, checks them, and applies them in the control thread.
#include "router/live_changes.hpp"

#include <chrono>
#include <exception>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "router/config/changes/assignments.hpp"
#include "router/config/cross_checks.hpp"
#include "router/routes/source/route_source.hpp"
#include "router/start_checks.hpp"
#include "system/log.hpp"

namespace fingerpost::router {
namespace {

// Longer than the control thread needs to read a large file of routes.
constexpr std::chrono::seconds longest_wait{60};

constexpr const char* no_answer =
    "the router does not answer: it is shutting down, or has been busy for a minute";

change_outcome refused(std::string why) {
    change_outcome out;
    out.errors.push_back(std::move(why));
    return out;
}

// Converts a report to lines: errors if there are any, including the warnings among them, else warnings.
change_outcome outcome_of(const report& findings) {
    change_outcome out;
    std::istringstream lines(findings.to_text());
    for (std::string line; std::getline(lines, line);)
        (findings.has_errors() ? out.errors : out.warnings).push_back(line);
    return out;
}

void log_outcome(const change_outcome& done) {
    for (const std::string& line : done.warnings)
        system::log(system::log_level::warning, "{}", line);
    for (const std::string& line : done.errors)
        system::log(system::log_level::error, "{}", line);
    if (!done.errors.empty()) {
        system::log(system::log_level::error, "the configuration was refused, and nothing has changed");
        return;
    }
    for (const std::string& line : done.changed)
        system::log(system::log_level::info, "changed: {}", line);
    for (const std::string& line : done.needs_restart)
        system::log(system::log_level::warning, "needs a restart: {}", line);
    if (done.changed.empty() && done.needs_restart.empty())
        system::log(system::log_level::info, "the configuration has not changed");
}

} // namespace

live_changes::live_changes(service& of, std::string file, std::vector<std::string> schemes)
    : of_(of), file_(std::move(file)), schemes_(std::move(schemes)) {
    reloader_ = std::thread([this] { wait_for_reloads(); });
    of_.on_hangup([this] { reload_soon(); });
}

live_changes::~live_changes() {
    of_.on_hangup([] {});
    {
        const std::lock_guard guard(lock_);
        ending_ = true;
    }
    woken_.notify_one();
    reloader_.join();
}

void live_changes::reload_soon() {
    {
        const std::lock_guard guard(lock_);
        reload_wanted_ = true;
    }
    woken_.notify_one();
}

void live_changes::wait_for_reloads() {
    for (;;) {
        {
            std::unique_lock guard(lock_);
            woken_.wait(guard, [this] { return reload_wanted_ || ending_; });
            if (ending_)
                return;
            reload_wanted_ = false;
        }
        try {
            log_outcome(reload());
        } catch (const std::exception& error) {
            system::log(system::log_level::error, "the configuration could not be reloaded: {}",
                        error.what());
        }
    }
}

bool live_changes::look_at_service(config& now, report& read) {
    return of_.call(
        [&] {
            now = of_.settings();
            read = of_.plan().findings;
        },
        longest_wait);
}

change_outcome live_changes::set(const std::vector<std::string>& assignments) {
    const std::lock_guard guard(one_at_a_time_);
    config now;
    report read;
    if (!look_at_service(now, read))
        return refused(no_answer);
    parsed_config target = assign_settings(now, read, assignments, schemes_);
    return make(now, std::move(target), false);
}

change_outcome live_changes::reload() {
    const std::lock_guard guard(one_at_a_time_);
    config now;
    report read;
    if (!look_at_service(now, read))
        return refused(no_answer);
    return make(now, load_config(file_, schemes_), true);
}

// Buffers keep their length, so an MTU that needs longer ones requires a restart.
void live_changes::leave_long_frames(const config& now, config& mixed, std::vector<setting_change>& changes) {
    for (std::size_t i = 0; i < mixed.ports.size(); ++i) {
        if (mixed.ports[i].mtu == now.ports[i].mtu || of_.has_room_for_mtu(i, mixed.ports[i].mtu))
            continue;
        mixed.ports[i].mtu = now.ports[i].mtu;
        for (setting_change& change : changes)
            if (change.key == fmt::format("port.{}.mtu", mixed.ports[i].name))
                change.at_once = false;
    }
}

change_outcome live_changes::make(const config& now, parsed_config target, bool is_file) {
    if (target.findings.has_errors())
        return outcome_of(target.findings);
    change_outcome out = outcome_of(target.findings);
    std::vector<setting_change> changes = changes_between(now, target.settings);
    config mixed = with_changes_at_once(now, target.settings);
    leave_long_frames(now, mixed, changes);
    for (const setting_change& change : changes)
        (change.at_once ? out.changed : out.needs_restart).push_back(change.to_text());
    if (!is_file && !out.needs_restart.empty()) {
        for (const std::string& line : out.needs_restart)
            out.errors.push_back(fmt::format("{}: this change needs a restart; make it in {}", line, file_));
        return out;
    }
    report together = target.findings.for_changes(file_);
    cross_check(mixed, together);
    if (together.has_errors()) {
        // The changes do not fit the settings that need a restart, such as more threads for queues that do
        // not exist yet. All of them then need a restart.
        out.needs_restart.insert(out.needs_restart.end(), out.changed.begin(), out.changed.end());
        out.changed.clear();
        return out;
    }
    if (!out.changed.empty() || is_file)
        check_route_source(mixed, together);
    if (together.has_errors())
        return outcome_of(together);
    std::optional<scheme_exchange> next;
    if (mixed.scheme != now.scheme) {
        expected<scheme_exchange> begun = unexpected{errc::not_found};
        if (!of_.call([&] { begun = of_.data().tables().begin_scheme(mixed.scheme); }, longest_wait))
            return refused(no_answer);
        const errc failed = begun ? begun->build() : begun.error();
        if (failed != errc::ok)
            return refused(fmt::format("tables of '{}' cannot be built: {}", mixed.scheme, message(failed)));
        next = std::move(*begun);
    }
    const bool load_again = is_file && source_of(mixed.routes.feed).is_path;
    std::optional<std::string> failed;
    if (!of_.call(
            [&] {
                failed = of_.change(mixed, is_file ? target.findings : of_.plan().findings,
                                    next ? &*next : nullptr, load_again);
            },
            longest_wait))
        return refused(no_answer);
    return failed ? refused(*failed) : out;
}

} // namespace fingerpost::router
