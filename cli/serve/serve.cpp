// `fingerpost serve`: a daemon that answers longest-prefix lookups over HTTP and on a Unix socket.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/serve/serve_options.hpp"
#include "io/format/parts/input_error.hpp"
#include "system/http/http_hosts.hpp"
#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"

namespace fingerpost::cli {
namespace {

std::string take_host(const std::string& text, std::vector<std::string>& into) {
    const auto name = system::split_host(text);
    if (!name || *name != text)
        return fmt::format("{} is not a host name", io::quoted(text));
    into.push_back(text);
    return {};
}

void add_limits(command& to, serve_options& options) {
    serve_limits& limits = options.limits;
    limits.threads = std::max(1U, std::thread::hardware_concurrency());
    add_number(to, "--threads", limits.threads, {1, 1024}, "Number of worker threads").preset = "one per CPU";
    add_number(to, "--max-body", limits.body_bytes, {1, std::uint64_t{1} << 30},
               "Largest request body in bytes");
    add_number(to, "--max-addresses", limits.addresses, {1, 100'000'000},
               "Largest number of addresses in one request");
    add_number(to, "--max-connections", limits.connections, {1, 100'000},
               "Largest number of open connections, for HTTP and for the socket each");
    add_number(to, "--timeout", options.seconds, {1, 3600},
               "Seconds a client may take to send a request or to read the answer");
}

void add_logs(command& to, serve_options& options) {
    add_file(to, "--access-log", options.access_log,
             "Log each HTTP request to FILE (\"-\" is stdout), which SIGUSR1 reopens");
    add_choice<access_format>(to, "--access-log-format", options.format,
                              {{"text", access_format::text}, {"json", access_format::json}},
                              "Combined log format, or one JSON object per line")
        .needs = "--access-log";
    using system::log_level;
    add_choice<log_level>(to, "--log-level", options.level,
                          {{"error", log_level::error},
                           {"warning", log_level::warning},
                           {"info", log_level::info},
                           {"debug", log_level::debug}},
                          "Messages on stderr; debug adds refused requests");
}

void add_listeners(command& to, serve_options& options) {
    add_option(to,
               {.name = "--http",
                .value = "ADDRESS:PORT",
                .help = "HTTP address. A bare port means 127.0.0.1; port 0 picks a free port and reports it. "
                        "The default applies unless only --socket is given",
                .preset = "127.0.0.1:8080",
                .take = [&options](const std::string& text) {
                    return read_endpoint(text, options.http.emplace());
                }});
    add_option(to, {.name = "--allow-host",
                    .value = "NAME",
                    .help = "Accept requests for host NAME and localhost, and refuse all others. On a "
                            "loopback address, hosts are always checked. May be repeated",
                    .may_repeat = true,
                    .take = [&options](const std::string& text) { return take_host(text, options.hosts); }});
    add_file(to, "--socket", options.socket,
             "Listen on this Unix socket, too: one address per line in, one answer per line out");
}

} // namespace

command serve_command() {
    auto options = std::make_shared<serve_options>();
    command result{.name = "serve", .summary = "answer lookups over HTTP and on a Unix socket"};
    add_file(result, "--config", options->config,
             "Read options from this TOML file, such as max-body = 4096. Options on the command line take "
             "precedence");
    result.config = "--config";
    add_flag(result, "--check", options->checks,
             "Read the configuration and the tables, report errors, and exit without serving");
    add_table_options(result, options->table);
    add_rename(result, options->table);
    add_listeners(result, *options);
    add_scheme(result, options->scheme, "Lookup scheme; all give the same answers");
    add_flag(result, "--no-watch", options->no_watch, "Reload only on SIGHUP, not when files change");
    add_flag(result, "--allow-empty", options->allow_empty,
             "Accept a table without routes on reload, instead of keeping the old one");
    add_limits(result, *options);
    add_logs(result, *options);
    result.more = "HTTP:\n"
                  "  GET /  web page with a search form\n"
                  "  GET /lookup?address=A  longest match of one or more addresses (&address=B)\n"
                  "  GET /lookup/A  longest match of one address\n"
                  "  POST /lookup  a JSON array of addresses, or one address per line\n"
                  "  GET /covers?address=A  every prefix that contains the address\n"
                  "  GET /covers/A  all routes that cover one address\n"
                  "  ?table=NAME  for /lookup and /covers: query only one of several tables\n"
                  "  GET /explain/A  animated explanation of one lookup\n"
                  "  GET /tables  names of tables and columns\n"
                  "  GET /version  version and instruction set\n"
                  "  GET /metrics  counters for Prometheus\n"
                  "  GET /healthz  health check, with the number of routes\n"
                  "  GET /openapi.json  description of this interface (OpenAPI)\n";
    result.examples = {{"fingerpost serve -t table.txt", "Serve HTTP on 127.0.0.1, port 8080"},
                       {"fingerpost serve -t table.txt --http 127.0.0.1:0 --socket /tmp/fingerpost.sock",
                        "Serve HTTP on any free port, and lines on a socket"},
                       {"fingerpost serve --config serve.toml", "Read options from a file"},

                       {"curl 'http://127.0.0.1:8080/lookup?address=10.1.2.3'", "Query it"},
                       {"kill -HUP $(pidof fingerpost)", "Reload the tables"}};
    result.run = [options] { return run_server(*options); };
    return result;
}

} // namespace fingerpost::cli
