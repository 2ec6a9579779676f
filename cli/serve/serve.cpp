// `fingerpost serve`: a daemon that answers longest matches over HTTP and on a unix socket.
#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <thread>
#include <utility>
#include <vector>

#include "cli/serve/endpoint.hpp"
#include "cli/serve/limits.hpp"
#include "cli/serve/lines/line_server.hpp"
#include "cli/serve/lines/socket_file.hpp"
#include "cli/serve/loops.hpp"
#include "cli/serve/serve_counters.hpp"
#include "cli/serve/stop_event.hpp"
#include "cli/serve/table/reloader.hpp"
#include "cli/serve/table/table_watch.hpp"
#include "io/format/parts/input_error.hpp"
#include "system/http/http_hosts.hpp"
#include "system/notify.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"
#include "terminal/table/table_choice.hpp"
#if FINGERPOST_HAVE_HTTP
#include "cli/serve/http/http_service.hpp"
#include "system/http/http_server.hpp"
#endif

namespace fingerpost::cli {
namespace {

struct serve_options {
    table_choice table;
    std::string scheme;
    std::optional<endpoint> http;
    std::vector<std::string> hosts;
    std::string socket;
    serve_limits limits;
    unsigned seconds = 10;
    bool watch = false;
    bool no_watch = false;
    bool allow_empty = false;
};

// Each connection is a descriptor, and many systems allow a program 1,024 unless it asks for more.
void allow_descriptors(std::size_t connections) {
    constexpr rlim_t others = 64;
    rlimit limit{};
    const rlim_t wanted = 2 * connections + others;
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = std::min(wanted, limit.rlim_max);
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < wanted)
        report(
            fmt::format("this program may open {} files, fewer than the connections that --max-connections "
                        "allows",
                        limit.rlim_cur));
}

using watches = std::vector<std::unique_ptr<table_watch>>;

// Nothing if there is no file, or if the system cannot watch it. A file that is not followed is watched too,
// so that it is not read while it is being written.
std::unique_ptr<table_watch> watch_of(const serve_options& options, const std::string& path) {
    const auto file = file_identity::of(path);
    const bool has_file = path != "-" && file && file->is_regular;
    if (options.watch && !has_file)
        throw failure(fmt::format("--watch: {} is no file", path));
    if (!has_file)
        return nullptr;
    try {
        return std::make_unique<table_watch>(path);
    } catch (const failure& error) {
        if (options.watch)
            throw;
        report(fmt::format("{}; the table is read again on SIGHUP only", error.what()));
        return nullptr;
    }
}

// Of each file that can be watched.
watches watches_of(const serve_options& options) {
    watches made;
    for (const std::string& path : files_of(options.table))
        if (auto one = watch_of(options, path))
            made.push_back(std::move(one));
    return made;
}

// The loop of the main thread: signals, and changes of the file.
class daemon_loop {
  public:
    void on_end(std::function<void()> call) {
        for (const int signal : {SIGTERM, SIGINT})
            throw_if(loop_.on_signal(signal, [this, call](int) {
                call();
                loop_.stop();
            }));
    }
    void on_reload(reloader& tables) {
        throw_if(loop_.on_signal(SIGHUP, [&tables](int) { tables.ask(); }));
    }
    void on_changes(reloader& tables, const watches& all) {
        for (const auto& one : all)
            throw_if(loop_.watch(one->descriptor(), EPOLLIN, [&tables, watch = one.get()](std::uint32_t) {
                if (watch->has_changed())
                    tables.ask();
            }));
    }
    // A second signal to end ends the program by its default action.
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

#if FINGERPOST_HAVE_HTTP
class http_part {
  public:
    void open(serve_options& options, const reloader& tables, serve_counters& counters) {
        const bool is_loopback = options.http->is_loopback();
        if (!is_loopback)
            report(fmt::format("{} is no loopback address: any host that reaches it may ask",
                               options.http->text()));
        system::http_rules rules{.patience = options.limits.patience,
                                 .connections = options.limits.connections};
        rules.sizes.body_bytes = options.limits.body_bytes;
        rules.hosts.checks = is_loopback || !options.hosts.empty();
        rules.hosts.names = options.hosts;
        rules.hosts.names.push_back(options.http->address);
        auto listener = listen_at(*options.http);
        service_.emplace(options.limits, tables, counters);
        auto made =
            system::http_server::open(std::move(listener), std::move(rules), options.limits.threads,
                                      *service_, [](const std::string& words) { report("HTTP: " + words); });
        if (!made)
            throw failure("HTTP: " + made.error().reason);
        server_ = std::move(*made);
        report(fmt::format("HTTP on http://{}", options.http->text()));
    }
    void end() noexcept {
        if (server_)
            server_->end();
    }

  private:
    std::optional<http_service> service_;
    std::unique_ptr<system::http_server> server_;
};
#else
class http_part {
  public:
    template <class... Others>
    [[noreturn]] void open(Others&...) {
        throw usage_error(
            "serve: this program was built without Boost.Beast, so it has no HTTP; give --socket alone");
    }
    void end() noexcept {}
};
#endif

int run(serve_options options) {
    options.limits.patience = std::chrono::seconds(options.seconds);
    if (!options.http && options.socket.empty())
        options.http = endpoint{"127.0.0.1", 8080};
    allow_descriptors(options.limits.connections);
    // Before the table is read, so that no change of the file is missed.
    const watches watched = watches_of(options);
    reload_rules rules{.follows = !options.no_watch, .allows_empty = options.allow_empty};
    for (const auto& one : watched)
        rules.watches.push_back(one.get());
    reloader tables(options.table, options.scheme, rules);
    stop_event stopping;
    serve_counters counters;
    std::optional<socket_file> file;
    http_part http;
    daemon_loop loop;
    const auto told = system::notifier::from_environment();
    // Signals wait for the loop from here on, in all threads.
    loop.on_end([&] {
        static_cast<void>(told.stopping("answering what has come in"));
        report("ending: what has come in is answered");
        if (file)
            file->remove();
        http.end();
        stopping.set();
    });
    loop.on_reload(tables);
    if (!options.no_watch)
        loop.on_changes(tables, watched);
    tables.start();
    std::optional<line_server> lines;
    try {
        if (options.http)
            http.open(options, tables, counters);
        if (!options.socket.empty()) {
            file.emplace(options.socket);
            lines.emplace(*file, options.limits, tables, counters, stopping);
            report(fmt::format("lines on {}", options.socket));
        }
        static_cast<void>(told.ready("answering"));
        loop.run();
    } catch (...) {
        // The servers wait for this event before they end.
        stopping.set();
        throw;
    }
    return exit_code::ok;
}

std::string take_host(const std::string& text, std::vector<std::string>& into) {
    const auto name = system::split_host(text);
    if (!name || *name != text)
        return fmt::format("{} is no name of a host", io::quoted(text));
    into.push_back(text);
    return {};
}

void add_limits(command& to, serve_options& options) {
    serve_limits& limits = options.limits;
    limits.threads = std::max(1U, std::thread::hardware_concurrency());
    add_number(
        to, "--threads", limits.threads, {1, 1024},
        "how many requests of HTTP are answered at once, and as many threads serve the socket; preset is "
        "one for each CPU")
        .preset.clear();
    add_number(to, "--max-body", limits.body_bytes, {1, std::uint64_t{1} << 30},
               "bytes in the body of a request");
    add_number(to, "--max-addresses", limits.addresses, {1, 100'000'000}, "addresses in a request");
    add_number(to, "--max-connections", limits.connections, {1, 100'000},
               "connections that are open at once, of HTTP and as many on the socket; more are refused");
    add_number(to, "--timeout", options.seconds, {1, 3600},
               "seconds in which a request must come in and its answer be read");
}

} // namespace

command serve_command() {
    auto options = std::make_shared<serve_options>();
    command made{.name = "serve", .summary = "answer lookups over HTTP and on a unix socket"};
    add_table_options(made, options->table);
    add_rename(made, options->table);
    add_option(
        made, {.name = "--http",
               .value = "ADDRESS:PORT",
               .help = "answer HTTP there; port 0 takes a free one, which is told on stderr; a port alone is "
                       "one of 127.0.0.1; without --socket it is on by itself",
               .preset = "127.0.0.1:8080",
               .take = [options](const std::string& text) {
                   return read_endpoint(text, options->http.emplace());
               }});
    add_option(made,
               {.name = "--allow-host",
                .value = "NAME",
                .help = "a host that requests may be sent to, besides localhost and loopback addresses; on a "
                        "loopback address, and wherever this is given, requests to other hosts are refused",
                .may_repeat = true,
                .take = [options](const std::string& text) { return take_host(text, options->hosts); }});
    add_file(made, "--socket", options->socket,
             "answer lines on a unix socket that is made there: an address a line in, an answer a line out");
    add_name(made, "--scheme", options->scheme, scheme_names(),
             "what looks up; all schemes give the same answers", hidden_scheme_names())
        .preset = default_scheme<ipv6_address>().facts.name;
    add_flag(made, "--watch", options->watch,
             "read the table again when its file changes; so it is without this option too, but with it the "
             "program "
             "does not start where changes cannot be noticed")
        .excludes = "--no-watch";
    add_flag(made, "--no-watch", options->no_watch, "read the table again on SIGHUP only");
    add_flag(made, "--allow-empty", options->allow_empty,
             "take a table without routes in the place of one with some, which is kept otherwise");
    add_limits(made, *options);
    made.more = "HTTP:\n"
                "  GET /lookup?address=A  also several, &address=B\n"
                "  GET /lookup/A  one address\n"
                "  POST /lookup  a JSON array of addresses, or lines\n"
                "  GET /metrics  counters for Prometheus\n"
                "  GET /healthz  that it runs, and facts about the table\n";
    made.examples = {{"fingerpost serve -t table.txt", "HTTP on 127.0.0.1, port 8080"},
                     {"fingerpost serve -t table.txt --http 127.0.0.1:0 --socket /tmp/fingerpost.sock",
                      "HTTP on any free port, and lines on a socket"},
                     {"curl 'http://127.0.0.1:8080/lookup?address=10.1.2.3'", "ask it"},
                     {"kill -HUP $(pidof fingerpost)", "have it read the table again"}};
    made.run = [options] { return run(*options); };
    return made;
}

} // namespace fingerpost::cli
