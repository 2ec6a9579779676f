// `fingerpost router`: commands that query or change a running router.
#include "cli/router/router_commands.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {

void add_router_format(command& to, router_format& format) {
    add_choice<router_format>(to, "--format", format,
                              {{"table", router_format::table}, {"json", router_format::json}},
                              "Output format; json is the raw answer of the telemetry socket");
}

command router_command() {
    command result{.name = "router", .summary = "inspect and control a running fingerpost-router"};
    result.commands = {router_show_command(),  router_lookup_command(),  router_top_command(),
                       router_trace_command(), router_capture_command(), router_set_command(),
                       router_reload_command()};
    result.more = "Where the router's socket is searched:\n"
                  "  $RUNTIME_DIRECTORY/dpdk  if set, only there\n"
                  "  $XDG_RUNTIME_DIR/dpdk  for users; /tmp/dpdk if unset\n"
                  "  /var/run/dpdk  a router that root started\n"
                  "  /run/fingerpost-router/dpdk  the systemd service\n";
    result.examples = {{"fingerpost router show", "Show packets, routes and their source"},
                       {"fingerpost router lookup 10.1.2.3", "Show where packets to an address go"},
                       {"fingerpost router top", "Watch the router's activity"},
                       {"fingerpost router trace --limit 1", "Trace the next packet"},
                       {"fingerpost router set scheme=poptrie", "Change the lookup scheme"},
                       {"fingerpost router reload", "Reload the configuration"}};
    return result;
}

} // namespace fingerpost::cli
