// The event loop: descriptors, timers, signals, and callbacks that change the loop while it runs.
#include "system/event_loop.hpp"

#include <array>
#include <csignal>
#include <sys/epoll.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "system/log.hpp"
#include "system/network_namespace.hpp"

namespace fingerpost::system {
namespace {

using namespace std::chrono_literals;

struct pipe_ends {
    unique_fd in, out;

    pipe_ends() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe(ends.data()), 0);
        in.reset(ends[0]);
        out.reset(ends[1]);
    }
    void write() const { EXPECT_EQ(::write(out.get(), "x", 1), 1); }
    void read() const {
        char c = 0;
        EXPECT_EQ(::read(in.get(), &c, 1), 1);
    }
};

event_loop make() {
    auto loop = event_loop::create();
    EXPECT_TRUE(loop);
    return std::move(*loop);
}

TEST(event_loop, calls_what_is_ready) {
    event_loop loop = make();
    pipe_ends one, other;
    int calls = 0;
    EXPECT_FALSE(loop.watch(one.in.get(), EPOLLIN, [&](std::uint32_t events) {
        EXPECT_EQ(events, EPOLLIN);
        one.read();
        ++calls;
    }));
    EXPECT_FALSE(loop.watch(other.in.get(), EPOLLIN, [](std::uint32_t) { FAIL() << "nothing was written"; }));
    EXPECT_FALSE(loop.run_once(0ms));
    EXPECT_EQ(calls, 0);
    one.write();
    EXPECT_FALSE(loop.run_once(1s));
    EXPECT_EQ(calls, 1);
    loop.unwatch(one.in.get());
    one.write();
    EXPECT_FALSE(loop.run_once(0ms));
    EXPECT_EQ(calls, 1);
}

TEST(event_loop, a_callback_may_unwatch_the_other_and_itself) {
    event_loop loop = make();
    pipe_ends one, other;
    int calls = 0;
    const auto once = [&](std::uint32_t) {
        ++calls;
        loop.unwatch(one.in.get());
        loop.unwatch(other.in.get());
    };
    EXPECT_FALSE(loop.watch(one.in.get(), EPOLLIN, once));
    EXPECT_FALSE(loop.watch(other.in.get(), EPOLLIN, once));
    one.write();
    other.write();
    EXPECT_FALSE(loop.run_once(1s));
    EXPECT_FALSE(loop.run_once(0ms));
    EXPECT_EQ(calls, 1);
}

TEST(event_loop, an_event_for_a_former_owner_of_a_number_is_dropped) {
    event_loop loop = make();
    pipe_ends one, other;
    int stale = 0;
    const auto replace = [&](int fd) {
        loop.unwatch(fd);
        EXPECT_FALSE(loop.watch(fd, EPOLLIN, [&](std::uint32_t) { ++stale; }));
    };
    EXPECT_FALSE(loop.watch(one.in.get(), EPOLLIN, [&](std::uint32_t) { replace(other.in.get()); }));
    EXPECT_FALSE(loop.watch(other.in.get(), EPOLLIN, [&](std::uint32_t) { replace(one.in.get()); }));
    one.write();
    other.write();
    EXPECT_FALSE(loop.run_once(1s));
    EXPECT_EQ(stale, 0) << "the second event of the round was for the callback that was replaced";
}

TEST(event_loop, a_bad_descriptor_is_an_error) {
    event_loop loop = make();
    const auto failed = loop.watch(-1, EPOLLIN, [](std::uint32_t) {});
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->reason, "epoll_ctl: Bad file descriptor");
}

TEST(event_loop, timers_come_in_order_of_time) {
    event_loop loop = make();
    std::vector<int> order;
    loop.after(30ms, [&] {
        order.push_back(3);
        loop.stop();
    });
    loop.after(10ms, [&] { order.push_back(1); });
    const auto cancelled = loop.after(15ms, [&] { order.push_back(9); });
    loop.after(20ms, [&] { order.push_back(2); });
    loop.cancel(cancelled);
    loop.cancel(cancelled);
    loop.cancel(event_loop::timer_id::none);
    const auto start = event_loop::clock::now();
    EXPECT_FALSE(loop.run());
    EXPECT_GE(event_loop::clock::now() - start, 30ms);
    EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST(event_loop, a_periodic_timer_may_cancel_itself) {
    event_loop loop = make();
    int calls = 0;
    event_loop::timer_id timer{};
    timer = loop.every(2ms, [&] {
        if (++calls == 3)
            loop.cancel(timer);
    });
    loop.after(100ms, [&] { loop.stop(); });
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(calls, 3);
}

TEST(event_loop, a_timer_set_by_a_timer_does_not_keep_descriptors_waiting) {
    event_loop loop = make();
    pipe_ends one;
    int timers = 0;
    std::function<void()> again = [&] {
        ++timers;
        loop.after(0ms, again);
    };
    loop.after(0ms, again);
    EXPECT_FALSE(loop.watch(one.in.get(), EPOLLIN, [&](std::uint32_t) { loop.stop(); }));
    one.write();
    EXPECT_FALSE(loop.run());
    EXPECT_LE(timers, 2);
}

TEST(event_loop, signals_are_callbacks) {
    event_loop loop = make();
    std::vector<int> seen;
    EXPECT_FALSE(loop.on_signal(SIGUSR1, [&](int signal) { seen.push_back(signal); }));
    EXPECT_FALSE(loop.on_signal(SIGUSR2, [&](int signal) {
        seen.push_back(signal);
        loop.stop();
    }));
    ::raise(SIGUSR1);
    EXPECT_FALSE(loop.run_once(1s));
    EXPECT_EQ(seen, std::vector{SIGUSR1});
    ::raise(SIGUSR2);
    event_loop moved = std::move(loop);
    EXPECT_FALSE(moved.run_once(1s));
    EXPECT_EQ(seen, (std::vector{SIGUSR1, SIGUSR2}));
}

TEST(network_namespace, one_that_is_not_there_is_an_error) {
    bool called = false;
    const auto failed = in_network_namespace("fingerpost-none", [&] { called = true; });
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->reason, "open /run/netns/fingerpost-none: No such file or directory");
    EXPECT_FALSE(called);
    EXPECT_FALSE(in_network_namespace("", [&] { called = true; }));
    EXPECT_TRUE(called);
}

TEST(log, has_levels_and_another_writer) {
    std::vector<std::string> lines;
    const log_writer before =
        set_log_writer([&](log_level, std::string_view text) { lines.emplace_back(text); });
    const log_level level = get_log_level();
    log(log_level::info, "{} and {}", 1, "two");
    log(log_level::debug, "not this");
    set_log_level(log_level::error);
    log(log_level::info, "nor this");
    log(log_level::error, "but this");
    set_log_level(level);
    set_log_writer(before);
    EXPECT_EQ(lines, (std::vector<std::string>{"1 and two", "but this"}));
}

} // namespace
} // namespace fingerpost::system
