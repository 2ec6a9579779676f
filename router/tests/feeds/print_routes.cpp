// Runs a route source and prints what it has learned, for tests that compare it with the output of other
// programs.
//
//   print_routes fpm PORT QUIET_MS LIMIT_MS [NAMESPACE]
//   print_routes kernel [NAMESPACE]
//
// It answers every line on its standard input with one line of JSON, and ends with the input: {"routes":
// {PREFIX: {"what": ACTION, "paths": [[GATEWAY, INTERFACE, WEIGHT], ...]}}, "statistics": {...}}. The first
// line printed is the port. For the word `count` it omits the routes.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "router/routes/fpm/fpm_server.hpp"
#include "router/routes/kernel/kernel_mirror.hpp"
#include "router/tests/routes/recording_sink.hpp"
#include "system/event_loop.hpp"

namespace {

using namespace fingerpost::router;
using namespace fingerpost::router::testing;

const char* name_of(action what) {
    switch (what) {
    case action::forward:
        return "forward";
    case action::local:
        return "local";
    case action::blackhole:
        return "blackhole";
    case action::unreachable:
        return "unreachable";
    case action::prohibit:
        return "prohibit";
    }
    return "unknown";
}

std::string json_of(const destination& to) {
    std::string paths;
    for (const path& one : to.paths) {
        const std::string gateway = one.gateway ? fmt::format("\"{}\"", to_string(*one.gateway)) : "null";
        paths += fmt::format("{}[{}, {}, {}]", paths.empty() ? "" : ", ", gateway, one.interface, one.weight);
    }
    return fmt::format(R"({{"what": "{}", "paths": [{}]}})", name_of(to.what), paths);
}

std::string json_of(const recorded_routes& sink) {
    std::string routes;
    for (const auto& [where, to] : sink.routes) {
        const destination found = sink.resolved(where).value_or(destination{});
        routes += fmt::format("{}\"{}\": {}", routes.empty() ? "" : ", ", to_string(where), json_of(found));
    }
    return routes;
}

std::string json_of(const fpm_server& server) {
    const fpm_statistics& s = server.statistics();
    return fmt::format(
        R"({{"connections": {}, "frames": {}, "routes": {}, "withdrawals": {}, "groups": {}, )"
        R"("group_removals": {}, "ignored": {}, "unsupported": {}, "errors": {}, "sweeps": {}, )"
        R"("connected": {}, "in_refresh": {}}})",
        s.connections, s.frames, s.routes, s.withdrawals, s.groups, s.group_removals, s.ignored,
        s.unsupported, s.errors, s.sweeps, server.is_connected(), server.state() == feed_state::returning);
}

std::string json_of(const mirror_statistics& s) {
    return fmt::format(R"({{"events": {}, "dumps": {}, "overruns": {}, "errors": {}, "synchronised": {}}})",
                       s.events, s.dumps, s.overruns, s.errors, s.synchronised);
}

struct program {
    fingerpost::system::event_loop loop = std::move(*fingerpost::system::event_loop::create());
    recorded_routes routes;
    recorded_interfaces interfaces;
    std::unique_ptr<fpm_server> server;
    std::unique_ptr<kernel_mirror> mirror;
    std::string input;

    std::optional<fingerpost::system::failure> open(const std::vector<std::string>& words) {
        if (words[0] == "kernel") {
            auto opened =
                kernel_mirror::open(loop, interfaces, &routes, {words.size() > 1 ? words[1] : "", 64 << 20});
            if (!opened)
                return opened.error();
            mirror = std::move(*opened);
            return std::nullopt;
        }
        fpm_options options;
        options.port = static_cast<std::uint16_t>(std::stoi(words.at(1)));
        options.times.quiet = std::chrono::milliseconds(std::stoi(words.at(2)));
        options.times.limit = std::chrono::milliseconds(std::stoi(words.at(3)));
        options.times.converged_percent = 0;
        options.network_namespace = words.size() > 4 ? words[4] : "";
        auto opened = fpm_server::open(loop, routes, options);
        if (!opened)
            return opened.error();
        server = std::move(*opened);
        return std::nullopt;
    }

    void answer(const std::string& line) const {
        const std::string table = line == "count" ? "" : json_of(routes);
        const std::string statistics = server ? json_of(*server) : json_of(mirror->statistics());
        fmt::print(
            "{{\"routes\": {{{}}}, \"statistics\": {}, \"count\": {}, \"groups\": {}, \"commits\": {}}}\n",
            table, statistics, routes.routes.size(), routes.groups.size(), routes.commits);
        std::fflush(stdout);
    }

    void read_input() {
        char text[256];
        const ssize_t count = ::read(STDIN_FILENO, text, sizeof text);
        if (count <= 0)
            return loop.stop();
        input.append(text, static_cast<std::size_t>(count));
        for (std::size_t end = input.find('\n'); end != std::string::npos; end = input.find('\n')) {
            answer(input.substr(0, end));
            input.erase(0, end + 1);
        }
    }
};

} // namespace

int main(int argc, char** argv) {
    if (argc < 2 || (argc < 5 && argv[1] != std::string("kernel"))) {
        std::cerr << "usage: print_routes fpm PORT QUIET_MS LIMIT_MS [NAMESPACE] | kernel [NAMESPACE]\n";
        return 2;
    }
    program self;
    auto failed = self.open({argv + 1, argv + argc});
    if (!failed)
        failed = self.loop.watch(STDIN_FILENO, EPOLLIN, [&](std::uint32_t) { self.read_input(); });
    if (!failed) {
        fmt::print("{}\n", self.server ? self.server->port() : 0);
        std::fflush(stdout);
        failed = self.loop.run();
    }
    if (failed)
        std::cerr << failed->reason << "\n";
    return failed ? 1 : 0;
}
