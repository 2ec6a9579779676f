// Opens the parts of the server in order, and runs the loop of the main thread.
#include <algorithm>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <utility>
#include <vector>

#include "cli/serve/http_part.hpp"
#include "cli/serve/lines/line_server.hpp"
#include "cli/serve/lines/socket_file.hpp"
#include "cli/serve/log/access_log.hpp"
#include "cli/serve/loops.hpp"
#include "cli/serve/serve_counters.hpp"
#include "cli/serve/serve_options.hpp"
#include "cli/serve/stop_event.hpp"
#include "cli/serve/table/reloader.hpp"
#include "cli/serve/table/table_watch.hpp"
#include "system/log.hpp"
#include "system/notify.hpp"
#include "system/service/activated_sockets.hpp"
#include "system/tcp_listener.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

// Each connection uses a descriptor, and many systems allow a program 1,024 by default.
void allow_descriptors(std::size_t connections) {
    constexpr rlim_t others = 64;
    rlimit limit{};
    const rlim_t needed = 2 * connections + others;
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return;
    limit.rlim_cur = std::min(needed, limit.rlim_max);
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < needed)
        system::log(system::log_level::warning, "the limit of {} open files is too low for --max-connections",
                    limit.rlim_cur);
}

using watches = std::vector<std::unique_ptr<table_watch>>;

// Returns nothing if there is no file, or if the system cannot watch it. Files are watched even without
// reloading, so that they are not read while they are being written.
std::unique_ptr<table_watch> watch_of(const std::string& path) {
    const auto file = file_identity::of(path);
    if (path == "-" || !file || !file->is_regular)
        return nullptr;
    try {
        return std::make_unique<table_watch>(path);
    } catch (const failure& error) {
        system::log(system::log_level::warning, "{}; tables are reloaded on SIGHUP only", error.what());
        return nullptr;
    }
}

// Watches each file that can be watched.
watches watches_of(const serve_options& options) {
    watches result;
    for (const std::string& path : files_of(options.table))
        if (auto watch = watch_of(path))
            result.push_back(std::move(watch));
    return result;
}

// The loop of the main thread, which handles signals and file changes.
class daemon_loop {
  public:
    void on_end(std::function<void()> call) {
        for (const int signal : {SIGTERM, SIGINT})
            throw_if(loop_.on_signal(signal, [this, call](int) {
                call();
                loop_.stop();
            }));
    }
    void on_reload(reloader& tables, access_log* log) {
        throw_if(loop_.on_signal(SIGHUP, [&tables, log](int) {
            tables.ask();
            if (log != nullptr)
                log->reopen();
        }));
    }
    // Without a log, the signal has no effect.
    void on_rotation(std::optional<access_log>& log) {
        throw_if(loop_.on_signal(SIGUSR1, [&log](int) {
            if (log)
                log->reopen();
        }));
    }
    void on_changes(reloader& tables, const watches& file_watches) {
        for (const auto& file_watch : file_watches)
            throw_if(loop_.watch(file_watch->descriptor(), EPOLLIN,
                                 [&tables, watch = file_watch.get()](std::uint32_t) {
                                     if (watch->has_changed())
                                         tables.ask();
                                 }));
    }
    // A second termination signal ends the program by its default action.
    void run() {
        throw_if(loop_.run());
        sigset_t ends;
        sigemptyset(&ends);
        sigaddset(&ends, SIGTERM);
        sigaddset(&ends, SIGINT);
        ::pthread_sigmask(SIG_UNBLOCK, &ends, nullptr);
    }

  private:
    system::event_loop loop_ = new_loop();
};

// The sockets that accept clients.
struct listeners {
    system::unique_fd http{};
    std::optional<socket_file> lines{};
};

// Takes the sockets of the service manager, each in place of its option.
void take_given(serve_options& options, listeners& into) {
    auto sockets = system::take_activated_sockets();
    if (!sockets)
        throw failure(sockets.error().reason);
    for (system::activated_socket& socket : *sockets) {
        const bool is_lines = socket.family == AF_UNIX;
        if (is_lines ? into.lines.has_value() : static_cast<bool>(into.http))
            throw failure(fmt::format("LISTEN_FDS: two sockets for {}; only one can be served",
                                      is_lines ? "lines" : "HTTP"));
        if (is_lines) {
            into.lines.emplace(std::move(socket.descriptor), socket.path);
            options.socket.clear();
            continue;
        }
        const auto place = system::place_of(socket.descriptor.get()).value_or(system::tcp_place{});
        options.http = endpoint{place.address, place.port};
        into.http = std::move(socket.descriptor);
    }
}

} // namespace

int run_server(serve_options options) {
    system::set_log_level(options.level);
    system::set_log_writer([](system::log_level, std::string_view text) { report(text); });
    options.limits.patience = std::chrono::seconds(options.seconds);
    if (options.checks) {
        const reloader tables(options.table, options.scheme, {});
        report("configuration and tables are valid");
        return exit_code::ok;
    }
    listeners at;
    take_given(options, at);
    if (!options.http && options.socket.empty() && !at.lines)
        options.http = endpoint{"127.0.0.1", 8080};
    allow_descriptors(options.limits.connections);
    // Watched before the table is read, so that no change of the file is missed.
    const watches watched = watches_of(options);
    reload_rules rules{.follows = !options.no_watch, .allows_empty = options.allow_empty};
    for (const auto& watch : watched)
        rules.watches.push_back(watch.get());
    serve_counters counters;
    std::optional<access_log> log;
    daemon_loop loop;
    // Log rotation may send this signal at any time.
    loop.on_rotation(log);
    if (!options.access_log.empty())
        log.emplace(options.access_log, options.format, counters.log);
    access_log* const log_pointer = log ? &*log : nullptr;
    reloader tables(options.table, options.scheme, rules);
    stop_event stopping;
    http_part http;
    const auto notifier = system::notifier::from_environment();
    // From here on, signals are blocked in all threads and wait for the loop.
    loop.on_end([&] {
        static_cast<void>(notifier.stopping("finishing open requests"));
        system::log(system::log_level::info, "shutting down, finishing open requests");
        if (at.lines)
            at.lines->remove();
        http.end();
        stopping.set();
    });
    loop.on_reload(tables, log_pointer);
    if (!options.no_watch)
        loop.on_changes(tables, watched);
    tables.start();
    std::optional<line_server> lines;
    try {
        if (options.http) {
            system::unique_fd listener = at.http ? std::move(at.http) : listen_at(*options.http);
            http.open(options, std::move(listener), tables, counters, log_pointer);
        }
        if (!options.socket.empty())
            at.lines.emplace(options.socket);
        if (at.lines) {
            lines.emplace(*at.lines, options.limits, tables, counters, stopping);
            system::log(system::log_level::info, "lines on {}", at.lines->path());
        }
        static_cast<void>(notifier.ready("answering"));
        loop.run();
    } catch (...) {
        // The servers wait for this event before they end.
        stopping.set();
        throw;
    }
    return exit_code::ok;
}

} // namespace fingerpost::cli
