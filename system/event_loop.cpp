// Timers are an ordered map and the timeout of epoll, so the loop needs no descriptor for each timer.
#include "system/event_loop.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>

#include <sys/epoll.h>
#include <sys/signalfd.h>

namespace fingerpost::system {

namespace {

// The data of an epoll event: the descriptor and the low half of its serial number.
constexpr std::uint64_t key_of(int fd, std::uint64_t serial) noexcept {
    return serial << 32 | static_cast<std::uint32_t>(fd);
}

sigset_t set_of(const auto& calls) {
    sigset_t set;
    sigemptyset(&set);
    for (const auto& [signal, call] : calls)
        sigaddset(&set, signal);
    return set;
}

} // namespace

expected<event_loop, failure> event_loop::create() {
    unique_fd epoll(::epoll_create1(EPOLL_CLOEXEC));
    if (!epoll)
        return unexpected{system_failure("epoll_create1", errno)};
    return event_loop(std::move(epoll));
}

event_loop::~event_loop() = default;

std::optional<failure> event_loop::watch(int fd, std::uint32_t events, ready_callback call) {
    const auto old = watched_.find(fd);
    const std::uint64_t serial = ++last_serial_;
    epoll_event event{};
    event.events = events;
    event.data.u64 = key_of(fd, serial);
    const int operation = old == watched_.end() ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    if (::epoll_ctl(epoll_.get(), operation, fd, &event) != 0)
        return system_failure("epoll_ctl", errno);
    watched_.insert_or_assign(fd, watched{serial, std::make_shared<ready_callback>(std::move(call))});
    return std::nullopt;
}

void event_loop::unwatch(int fd) noexcept {
    if (watched_.erase(fd) != 0)
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

event_loop::timer_id event_loop::add_timer(clock::time_point when, timer entry) {
    const timer_id id = entry.id;
    when_.insert_or_assign(static_cast<std::uint64_t>(id), when);
    timers_.insert_or_assign({when, id}, std::move(entry));
    return id;
}

event_loop::timer_id event_loop::after(clock::duration delay, timer_callback call) {
    return add_timer(clock::now() + delay, {timer_id{++last_timer_}, {}, std::move(call)});
}

event_loop::timer_id event_loop::every(clock::duration period, timer_callback call) {
    // A period of zero would keep the loop in one round forever.
    const auto positive = std::max<clock::duration>(period, std::chrono::milliseconds(1));
    return add_timer(clock::now() + positive, {timer_id{++last_timer_}, positive, std::move(call)});
}

void event_loop::cancel(timer_id id) noexcept {
    const auto position = when_.find(static_cast<std::uint64_t>(id));
    if (position == when_.end())
        return;
    timers_.erase({position->second, id});
    when_.erase(position);
}

void event_loop::call_timers() {
    // Timers that are set meanwhile wait for the next round, so that descriptors are not starved.
    const clock::time_point now = clock::now();
    const std::uint64_t last = last_timer_;
    for (auto next = timers_.begin(); next != timers_.end() && next->first.first <= now;) {
        if (static_cast<std::uint64_t>(next->first.second) > last) {
            ++next;
            continue;
        }
        timer due = std::move(next->second);
        timers_.erase(next);
        const timer_id id = due.id;
        if (due.period == clock::duration::zero()) {
            when_.erase(static_cast<std::uint64_t>(id));
            due.call();
        } else {
            // Set again before the call, because the call may cancel it.
            const timer_callback call = due.call;
            add_timer(now + due.period, std::move(due));
            call();
        }
        next = timers_.begin();
    }
}

int event_loop::milliseconds_until_timer(clock::duration limit) const {
    clock::duration wait = limit;
    if (!timers_.empty())
        wait = std::min(wait, timers_.begin()->first.first - clock::now());
    // Rounded up, because a wait that ends early would be repeated.
    const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(wait).count();
    return static_cast<int>(std::clamp<std::int64_t>(rounded, 0, INT_MAX));
}

std::optional<failure> event_loop::on_signal(int signal, signal_callback call) {
    const auto old = signal_calls_.find(signal);
    if (old != signal_calls_.end()) {
        old->second = std::move(call);
        return std::nullopt;
    }
    auto calls = signal_calls_;
    calls.emplace(signal, std::move(call));
    const sigset_t set = set_of(calls);
    const int fd = ::signalfd(signals_.get(), &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (fd < 0)
        return system_failure("signalfd", errno);
    if (!signals_) {
        signals_.reset(fd);
        // The callback does not point to this loop, which may still move. run_once() handles this descriptor.
        if (auto fault = watch(fd, EPOLLIN, [](std::uint32_t) {})) {
            signals_.reset();
            return fault;
        }
    }
    if (const int error = ::pthread_sigmask(SIG_BLOCK, &set, nullptr); error != 0)
        return system_failure("pthread_sigmask", error);
    signal_calls_ = std::move(calls);
    return std::nullopt;
}

void event_loop::read_signals() {
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        const auto position = signal_calls_.find(static_cast<int>(info.ssi_signo));
        if (position != signal_calls_.end()) {
            const signal_callback call = position->second;
            call(position->first);
        }
    }
}

std::optional<failure> event_loop::run_once(clock::duration limit) {
    std::array<epoll_event, 64> events;
    const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                   milliseconds_until_timer(limit));
    if (count < 0 && errno != EINTR)
        return system_failure("epoll_wait", errno);
    for (int i = 0; i < count; ++i) {
        const epoll_event event = events[static_cast<std::size_t>(i)];
        const int fd = static_cast<int>(event.data.u64 & 0xffff'ffff);
        const auto position = watched_.find(fd);
        // An earlier callback of this round may have unwatched it, or its number may belong to another file.
        if (position == watched_.end() || key_of(fd, position->second.serial) != event.data.u64)
            continue;
        if (fd == signals_.get()) {
            read_signals();
            continue;
        }
        const auto call = position->second.call; // kept alive during the call, even if it unwatches itself
        (*call)(event.events);
    }
    call_timers();
    return std::nullopt;
}

std::optional<failure> event_loop::run() {
    stopped_ = false;
    while (!stopped_)
        if (auto fault = run_once(std::chrono::hours(1)))
            return fault;
    return std::nullopt;
}

} // namespace fingerpost::system
