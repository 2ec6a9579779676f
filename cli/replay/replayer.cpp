// Collects updates, waits and commits.
#include "cli/replay/replayer.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>
#include <utility>
#include <vector>

#include "fingerpost/registry/registry.hpp"
#include "io/format/parts/input_error.hpp"
#include "io/format/parts/printable.hpp"
#include "terminal/console.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

template <class A>
const scheme_entry<A>& scheme_for(const std::string& name) {
    const scheme_entry<A>* const entry = name.empty() ? nullptr : find_scheme<A>(name);
    return entry != nullptr ? *entry : default_scheme<A>();
}

std::string listed(const std::vector<std::string_view>& names) {
    return io::printable(fmt::format("{}", fmt::join(names, ", ")));
}

} // namespace

replayer::replayer(io::both_tables tables, replay_settings settings)
    : settings_(std::move(settings)),
      ipv4_(std::move(tables.ipv4), scheme_for<ipv4_address>(settings_.scheme)),
      ipv6_(std::move(tables.ipv6), scheme_for<ipv6_address>(settings_.scheme)),
      starts_typed_(!ipv4_.is_empty() || !ipv6_.is_empty()) {}

// An empty table takes the columns of the updates. If both have one column, names do not matter.
void replayer::begin(std::span<const std::string_view> columns) {
    if (ipv4_.is_empty() && ipv6_.is_empty()) {
        ipv4_.name_columns(columns);
        ipv6_.name_columns(columns);
    }
    const value_rows& values = ipv4_.values();
    std::vector<std::optional<std::size_t>> from(values.columns());
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < values.columns(); ++i)
        names.push_back(values.name(i));
    std::vector<std::string_view> left_out(columns.begin(), columns.end()), missing;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto column = std::find(columns.begin(), columns.end(), names[i]);
        if (column == columns.end()) {
            missing.push_back(names[i]);
            continue;
        }
        from[i] = static_cast<std::size_t>(column - columns.begin());
        std::erase(left_out, names[i]);
    }
    if (names.size() == 1 && columns.size() == 1)
        from[0] = 0;
    else if (!left_out.empty())
        throw failure(fmt::format(
            "{}: the table has no column {} ({}); name the columns of text in its first line, `change "
            "prefix COLUMN ...`, and those of MRT with --columns",
            file_, listed(left_out), listed(names)));
    else if (!missing.empty())
        report(fmt::format("{}: updates have no column {}; it is empty in the routes that they announce",
                           file_, listed(missing)));
    ipv4_.set_columns(from);
    ipv6_.set_columns(std::move(from));
}

template <class A>
bool replayer::apply(changed_table<A>& to, const prefix<A>& where, const io::update& update,
                     replay_clock::time_point now) {
    return update.announced ? to.announce(where, update.cells, now) : to.withdraw(where, now);
}
bool replayer::apply(const ipv4_prefix& where, const io::update& update, replay_clock::time_point now) {
    return apply(ipv4_, where, update, now);
}
bool replayer::apply(const ipv6_prefix& where, const io::update& update, replay_clock::time_point now) {
    return apply(ipv6_, where, update, now);
}

bool replayer::is_wanted(const any_prefix& where) const {
    const family kind = where.index() == 0 ? family::ipv4 : family::ipv6;
    return !settings_.only || *settings_.only == kind;
}

double replayer::seconds(replay_clock::time_point now) const {
    return begun_ ? std::chrono::duration<double>(now - *begun_).count() : 0.0;
}

void replayer::take(const io::update& update) {
    if (!is_wanted(update.where)) {
        ++other_family_;
        return;
    }
    throw_if_stopped();
    if (!begun_)
        begun_ = replay_clock::now();
    if (settings_.batch.ends_before(update.microseconds))
        commit();
    if (settings_.pace)
        wait_for(update);
    const auto now = replay_clock::now();
    const bool changes =
        std::visit([&](const auto& where) { return apply(where, update, now); }, update.where);
    ++(update.announced ? all_.counts.announced : all_.counts.withdrawn);
    all_.counts.changes += changes ? 1 : 0;
    settings_.batch.note(update.microseconds, changes);
    if (settings_.batch.is_full())
        commit();
    if (settings_.every != 0 && seconds(now) >= reported_at_ + settings_.every)
        report_interval();
}

// Sleeps until the next report at most, and short enough that a request to end is handled without a
// noticeable delay.
void replayer::wait_for(const io::update& update) {
    for (;;) {
        const double now = seconds(replay_clock::now());
        double left = settings_.pace->wait(update.microseconds, now);
        if (left <= 0)
            return;
        commit();
        if (settings_.every != 0)
            left = std::min(left, std::max(reported_at_ + settings_.every - now, 0.0));
        constexpr double longest = 0.1;
        std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, longest)));
        throw_if_stopped();
        if (settings_.every != 0 && seconds(replay_clock::now()) >= reported_at_ + settings_.every)
            report_interval();
    }
}

void replayer::report_interval() {
    const double now = seconds(replay_clock::now());
    all_.seconds = now;
    all_.ipv4_routes = ipv4_.live().size();
    all_.ipv6_routes = ipv6_.live().size();
    settings_.report(all_, reported_, now - reported_at_);
    reported_ = all_.counts;
    reported_at_ = now;
}

void replayer::commit() {
    if (settings_.batch.is_empty())
        return;
    all_.counts.commits += ipv4_.commit(all_.visible) ? 1 : 0;
    all_.counts.commits += ipv6_.commit(all_.visible) ? 1 : 0;
    settings_.batch.clear();
}

void replayer::skip(const io::mrt::damage& where) {
    ++all_.damaged_records;
    damage_->add(where);
}

void replayer::refuse(const io::input_error& line) {
    constexpr std::uint64_t reported_lines = 10;
    ++all_.bad_lines;
    if (all_.bad_lines <= reported_lines)
        report(io::message(line));
    else if (all_.bad_lines == reported_lines + 1)
        report(fmt::format("{}: further malformed lines are not shown", line.file));
}

replay_statistics replayer::finish(std::size_t top) {
    commit();
    all_.seconds = seconds(replay_clock::now());
    all_.ipv4_routes = ipv4_.live().size();
    all_.ipv6_routes = ipv6_.live().size();
    ipv4_.add_most_changed(top, all_.most_changed);
    ipv6_.add_most_changed(top, all_.most_changed);
    std::stable_sort(all_.most_changed.begin(), all_.most_changed.end(),
                     [](const auto& a, const auto& b) { return a.changes > b.changes; });
    all_.most_changed.resize(std::min(top, all_.most_changed.size()));
    return all_;
}

} // namespace fingerpost::cli
