// `fingerpost serve`: a daemon that answers longest matches over HTTP and on a unix socket.
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

void add_logs(command& to, serve_options& options) {
    add_file(
        to, "--access-log", options.access_log,
        "append a line for each answer over HTTP to this file, - for stdout; SIGUSR1 opens it again, when it "
        "was renamed");
    add_choice<access_format>(to, "--access-log-format", options.format,
                              {{"text", access_format::text}, {"json", access_format::json}},
                              "text is the combined format of web servers")
        .needs = "--access-log";
    using system::log_level;
    add_choice<log_level>(to, "--log-level", options.level,
                          {{"error", log_level::error},
                           {"warning", log_level::warning},
                           {"info", log_level::info},
                           {"debug", log_level::debug}},
                          "what is told on stderr: debug tells also of refused requests");
}

} // namespace

command serve_command() {
    auto options = std::make_shared<serve_options>();
    command made{.name = "serve", .summary = "answer lookups over HTTP and on a unix socket"};
    add_file(
        made, "--config", options->config,
        "take options from this TOML file: its keys are options without their dashes, as max-body = 4096; "
        "options here go before those there");
    made.config = "--config";
    add_flag(made, "--check", options->checks,
             "Read the configuration and the tables, report errors, and exit without serving");
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
    add_flag(made, "--no-watch", options->no_watch, "read the table again on SIGHUP only");
    add_flag(made, "--allow-empty", options->allow_empty,
             "take a table without routes in the place of one with some, which is kept otherwise");
    add_limits(made, *options);
    add_logs(made, *options);
    made.more = "HTTP:\n"
                "  GET /  a page that asks\n"
                "  GET /lookup?address=A  also several, &address=B\n"
                "  GET /lookup/A  one address\n"
                "  POST /lookup  a JSON array of addresses, or lines\n"
                "  GET /covers?address=A  all prefixes with the address in them\n"
                "  GET /covers/A  those of one address\n"
                "  ?table=NAME  of these, the answer of one table\n"
                "  GET /explain/A  a page that plays the lookup of one address\n"
                "  GET /tables  names of tables and columns\n"
                "  GET /version  of the program\n"
                "  GET /metrics  counters for Prometheus\n"
                "  GET /healthz  that it runs, and facts about the table\n"
                "  GET /openapi.json  all of this for programs (OpenAPI)\n";
    made.examples = {{"fingerpost serve -t table.txt", "HTTP on 127.0.0.1, port 8080"},
                     {"fingerpost serve -t table.txt --http 127.0.0.1:0 --socket /tmp/fingerpost.sock",
                      "HTTP on any free port, and lines on a socket"},
                     {"fingerpost serve --config serve.toml", "options from a file"},
                     {"curl 'http://127.0.0.1:8080/lookup?address=10.1.2.3'", "ask it"},
                     {"kill -HUP $(pidof fingerpost)", "have it read the table again"}};
    made.run = [options] { return run_server(*options); };
    return made;
}

} // namespace fingerpost::cli
