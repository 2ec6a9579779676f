// `fingerpost router set` and `fingerpost router reload`: change the configuration of a running router.
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/router/router_commands.hpp"
#include "cli/router/router_search.hpp"
#include "cli/router/router_values.hpp"
#include "io/format/parts/printable.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

struct change_options {
    // Changing to another scheme takes as long as building its tables.
    router_choice router{.path = {}, .seconds = 600};
    router_format format = router_format::table;
    std::vector<std::string> assignments;
};

// The lines of a list. The router splits long ones into pieces; all but the first piece are named N_M.
std::vector<std::string> lines_of(const answer& reply, const char* name) {
    std::vector<std::string> lines;
    if (!member_of(reply, name).is_object())
        return lines;
    for (const auto& [number, piece] : member_of(reply, name).items()) {
        if (!piece.is_string())
            continue;
        if (number.find('_') == std::string::npos || lines.empty())
            lines.emplace_back();
        lines.back() += piece.get<std::string>();
    }
    return lines;
}

std::string shown(std::string_view before, const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += fmt::format("{}{}\n", before, io::printable(line));
    return text;
}

int change(const change_options& options, const std::string& command) {
    router_socket router = open_router(options.router);
    const answer reply = router.ask(command);
    const std::vector<std::string> errors = lines_of(reply, "errors");
    output out;
    if (options.format == router_format::json) {
        out.write(reply.dump(2) + '\n');
    } else if (errors.empty()) {
        const std::string text = shown("changed: ", lines_of(reply, "changed")) +
                                 shown("needs a restart: ", lines_of(reply, "needs_restart"));
        out.write(text.empty() ? "nothing differs\n" : text);
    }
    out.finish();
    for (const std::string& warning : lines_of(reply, "warnings"))
        report(warning);
    for (const std::string& error : errors)
        report(error);
    if (errors.empty())
        return exit_code::ok;
    report("nothing was changed");
    return exit_code::failed;
}

// Each assignment is sent as one line.
std::string fault_of_assignment(const std::string& text) {
    if (text.find('=') == std::string::npos)
        return fmt::format("'{}' is not KEY=VALUE", text);
    return text.find('\n') == std::string::npos ? "" : "a setting cannot have several lines";
}

// The longest command that DPDK reads, in bytes.
constexpr std::size_t longest_command = 1000;

int set(const change_options& options) {
    std::string command = "set,";
    for (const std::string& assignment : options.assignments)
        command += assignment + '\n';
    if (command.size() > longest_command)
        throw usage_error(
            fmt::format("the settings have {} bytes, more than {}; write them into the router's file "
                        "and use `fingerpost router reload`",
                        command.size(), longest_command));
    return change(options, command);
}

} // namespace

command router_set_command() {
    auto options = std::make_shared<change_options>();
    command result{.name = "router set", .summary = "change settings of a running router"};
    result.more =
        "Settings that can change at run time (see docs/use/router-configuration.md):\n"
        "  scheme=NAME              lookup scheme; empty for the default\n"
        "  routes=SOURCE            fpm, kernel or the path of a file\n"
        "  fpm.KEY=VALUE            times and address of the FPM server\n"
        "  port.NAME.mtu=BYTES      longest IP packet\n"
        "  port.NAME.addresses=ADDRESS/LENGTH,...    += adds, -= removes addresses\n"
        "  threads.KEY=VALUE        worker threads; packets are queued meanwhile\n"
        "\nSettings change together or not at all. They are not saved: a restart restores the configuration "
        "file.\n";
    add_router_format(result, options->format);
    add_router_options(result, options->router);
    result.rest = {.name = "KEY=VALUE",
                   .help = "Setting and new value",
                   .least = 1,
                   .most = std::numeric_limits<std::size_t>::max(),
                   .take = [options](const std::string& text) {
                       options->assignments.push_back(text);
                       return fault_of_assignment(text);
                   }};
    result.examples = {
        {"fingerpost router set scheme=poptrie", "Change the lookup scheme without losing packets"},
        {"fingerpost router set port.lan.mtu=1400 port.lan.addresses+=192.0.2.9/24",
         "Change two settings of the port lan"}};
    result.run = [options] { return set(*options); };
    return result;
}

command router_reload_command() {
    auto options = std::make_shared<change_options>();
    command result{.name = "router reload", .summary = "reload the router's configuration"};
    result.more =
        "Prints what changed and what needs a restart. A file with an error changes nothing. Routes from a "
        "file are reloaded too. SIGHUP does the same and reports to the router's log.\n";
    add_router_format(result, options->format);
    add_router_options(result, options->router);
    result.examples = {{"fingerpost router reload", "Apply changes of the configuration file"}};
    result.run = [options] { return change(*options, "reload"); };
    return result;
}

} // namespace fingerpost::cli
