// `fingerpost router lookup`: shows how a running router treats packets to given addresses.
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/router/router_commands.hpp"
#include "cli/router/router_search.hpp"
#include "cli/router/router_values.hpp"
#include "fingerpost/net/text.hpp"
#include "io/format/parts/input_error.hpp"
#include "terminal/columns.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {
namespace {

struct router_lookup_options {
    router_choice router;
    router_format format = router_format::table;
    std::string vrf; // empty: the default
    std::vector<std::string> addresses;
};

// Explains why the text is not an address; empty if it is one. This also prevents sending text that could be
// another command.
std::string fault_of_address(const std::string& text) {
    const auto address = parse_address(text);
    return address ? "" : message(address.error());
}

// Adds a line for each path of a group, with the path's share of the flows.
void add_paths(columns& page, const answer& reply) {
    const auto count = static_cast<std::size_t>(number_of(reply, "paths").value_or(0));
    for (std::size_t i = 0; i < count; ++i) {
        const answer& path = member_of(reply, fmt::format("path{}", i).c_str());
        if (path.is_null()) {
            page.add({"", "", fmt::format("and {} more", count - i), "", "", "", "", ""});
            return;
        }
        page.add({"", "", text_of(path, "via"), text_of(path, "action"), text_of(path, "port"),
                  text_of(path, "mac"), text_of(path, "mtu"), percent_of(number_of(path, "share"))});
    }
}

std::string as_table(const std::vector<std::pair<std::string, answer>>& answers) {
    columns page({{"address"},
                  {"prefix"},
                  {"next hop"},
                  {"action"},
                  {"port"},
                  {"mac"},
                  {"mtu", true},
                  {"flows", true}});
    for (const auto& [address, reply] : answers) {
        if (const answer& error = member_of(reply, "error"); error.is_string()) {
            page.add({address, "-", "-", error.get<std::string>(), "-", "-", "-", "-"});
            continue;
        }
        page.add({address, text_of(reply, "prefix"), text_of(reply, "via"), text_of(reply, "action"),
                  text_of(reply, "port"), text_of(reply, "mac"), text_of(reply, "mtu"), "-"});
        add_paths(page, reply);
    }
    return page.is_empty() ? "" : page.text();
}

// One object with each answer under the address as the user wrote it.
std::string as_object(const std::vector<std::pair<std::string, answer>>& answers) {
    answer object = answer::object();
    for (const auto& [address, reply] : answers)
        object[address] = reply;
    return object.dump(2) + '\n';
}

int ask_for_addresses(const router_lookup_options& options) {
    router_socket router = open_router(options.router);
    std::vector<std::pair<std::string, answer>> answers;
    bool all_good = true;
    for (std::size_t i = 0; i < options.addresses.size(); ++i) {
        const std::string& address = options.addresses[i];
        if (const std::string fault = fault_of_address(address); !fault.empty()) {
            report(io::message({fmt::format("argument {}", i + 1), 0, address, fault}));
            all_good = false;
            continue;
        }
        answers.emplace_back(address, router.ask("lookup," + address + in_vrf(options.vrf)));
        all_good = all_good && member_of(answers.back().second, "error").is_null();
    }
    output out;
    out.write(options.format == router_format::json ? as_object(answers) : as_table(answers));
    out.finish();
    return all_good ? exit_code::ok : exit_code::bad_rows;
}

} // namespace

command router_lookup_command() {
    auto options = std::make_shared<router_lookup_options>();
    command result{.name = "router lookup", .summary = "show how the router forwards packets to an address"};
    add_router_format(result, options->format);
    add_router_options(result, options->router);
    add_vrf_option(result, options->vrf);
    add_arguments(result, "ADDRESS", options->addresses, "IPv4 or IPv6 addresses", {1});
    result.examples = {
        {"fingerpost router lookup 10.1.2.3 2001:db8::1", "Show prefix, next hop, port and MAC address"},
        {"fingerpost router lookup 10.1.2.3 --vrf red", "Use the routes of a VRF"}};
    result.run = [options] { return ask_for_addresses(*options); };
    return result;
}

} // namespace fingerpost::cli
