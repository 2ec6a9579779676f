// fingerpost-router: reads its configuration and runs.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "fingerpost/registry/registry.hpp"
#include "router/change_commands.hpp"
#include "router/config/plan.hpp"
#include "router/live_changes.hpp"
#include "router/metrics_server.hpp"
#include "router/service.hpp"
#include "router/start_checks.hpp"
#include "router/telemetry.hpp"
#include "system/log.hpp"
#include "system/standard_descriptors.hpp"

namespace fingerpost::router {
namespace {

constexpr int failed = 1;
// Includes an invalid configuration, because starting again does not help
// (docs/why/decisions/0009-exit-codes.md).
constexpr int wrong_usage = 2;

constexpr const char* help = R"(usage: fingerpost-router [--check] FILE

Forward IPv4 and IPv6 packets as configured in FILE (TOML).

  --check     Check the configuration and this machine, print the plan, and exit
  --version   Print the version
  --help      Print this help

Exit status: 0 after a normal end; 2 for a wrong command line or configuration; 1 for any other error, such as a
missing device.

SIGHUP reloads the configuration and route files; the log lists what changed and what needs a restart. SIGTERM stops.
Use `fingerpost router` to inspect a running router. See docs/use/router.md and docs/use/router-configuration.md.
)";

struct command_line {
    bool check = false;
    std::string file;
};

// If `run` is false, the program ends with `code`.
struct choice {
    bool run = false;
    int code = 0;
    command_line line{};
};

choice read_command_line(const std::vector<std::string_view>& words) {
    choice chosen;
    for (const std::string_view word : words) {
        if (word == "--help" || word == "-h") {
            std::fputs(help, stdout);
            return {};
        }
        if (word == "--version") {
            fmt::print("fingerpost-router {}\n", FINGERPOST_VERSION);
            return {};
        }
        if (word == "--check") {
            chosen.line.check = true;
        } else if (word.starts_with("-")) {
            fmt::print(stderr, "fingerpost-router: unknown option '{}'; see --help\n", word);
            return {false, wrong_usage, {}};
        } else if (!chosen.line.file.empty()) {
            fmt::print(stderr, "fingerpost-router: unexpected argument '{}'\n", word);
            return {false, wrong_usage, {}};
        } else {
            chosen.line.file = word;
        }
    }
    if (chosen.line.file.empty()) {
        fmt::print(stderr, "fingerpost-router: missing FILE; see --help\n");
        return {false, wrong_usage, {}};
    }
    chosen.run = true;
    return chosen;
}

// Schemes for either address family. A family that the scheme does not support uses the default scheme.
std::vector<std::string> scheme_names() {
    std::vector<std::string> names;
    for (const auto& scheme : schemes<ipv4_address>())
        names.emplace_back(scheme.facts.name);
    for (const auto& scheme : schemes<ipv6_address>())
        if (find_scheme<ipv4_address>(scheme.facts.name) == nullptr)
            names.emplace_back(scheme.facts.name);
    return names;
}

int serve(start_plan plan, const std::string& file) {
    const std::string metrics = plan.settings.telemetry.prometheus;
    auto opened = service::open(std::move(plan));
    if (!opened) {
        system::log(system::log_level::error, "{}", opened.error());
        return failed;
    }
    const telemetry commands(**opened);
    live_changes changes(**opened, file, scheme_names());
    const change_commands more_commands(changes);
    std::unique_ptr<metrics_server> server;
    if (!metrics.empty()) {
        auto opened_server = metrics_server::open(**opened, metrics);
        if (!opened_server) {
            system::log(system::log_level::error, "{}", opened_server.error());
            return failed;
        }
        server = std::move(*opened_server);
    }
    const auto why = (*opened)->run();
    if (why)
        system::log(system::log_level::error, "{}", *why);
    return why ? failed : 0;
}

int run(const command_line& line) {
    const auto machine = system::read_topology(system::kernel_cores, system::allowed_cores());
    if (!machine) {
        system::log(system::log_level::error, "{}", machine.error());
        return failed;
    }
    const parsed_config loaded = load_config(line.file, scheme_names());
    start_plan plan = make_plan(loaded, *machine, node_of_ports(loaded.settings, system::kernel_devices));
    std::string memory;
    if (!plan.findings.has_errors()) {
        memory = choose_memory(plan.settings);
        check_machine(plan.settings, plan.findings);
    }
    std::fputs(plan.findings.to_text().c_str(), stderr);
    if (plan.findings.has_errors())
        return plan.findings.has(severity::error) ? wrong_usage : failed;
    for (const std::string& placed : plan.threads.lines)
        system::log(system::log_level::info, "{}", placed);
    if (!memory.empty())
        system::log(system::log_level::info, "{}", memory);
    if (line.check)
        return 0;
    return serve(std::move(plan), line.file);
}

} // namespace
} // namespace fingerpost::router

int main(int count, char** words) {
    using namespace fingerpost::router;
    fingerpost::system::open_standard_descriptors();
    const choice chosen = read_command_line({words + 1, words + count});
    if (!chosen.run)
        return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? chosen.code : failed;
    try {
        return run(chosen.line);
    } catch (const std::exception& error) {
        fingerpost::system::log(fingerpost::system::log_level::error, "{}", error.what());
        return failed;
    }
}
