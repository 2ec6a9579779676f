// `fingerpost router`: the commands that query and change a running router.
#include "cli/router/router_commands.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {

void add_router_format(command& to, router_format& format) {
    add_choice<router_format>(to, "--format", format,
                              {{"table", router_format::table}, {"json", router_format::json}},
                              "columns for people, or what the router's telemetry socket says");
}

command router_command() {
    command made{.name = "router", .summary = "ask and change a running fingerpost-router"};
    made.commands = {router_show_command(),  router_lookup_command(),  router_top_command(),
                     router_trace_command(), router_capture_command(), router_set_command(),
                     router_reload_command()};
    made.more = "Where a router is looked for:\n"
                "  $RUNTIME_DIRECTORY/dpdk  and nowhere else, where this is set\n"
                "  $XDG_RUNTIME_DIR/dpdk  unless you are root; without the variable /tmp/dpdk\n"
                "  /var/run/dpdk  a router that root has started\n"
                "  /run/fingerpost-router/dpdk  the service of systemd\n";
    made.examples = {{"fingerpost router show", "packets, routes and their source"},
                     {"fingerpost router lookup 10.1.2.3", "where packets to an address go"},
                     {"fingerpost router top", "what the router does, each second"},
                     {"fingerpost router trace --count 1", "each stage of the next packet"},
                     {"fingerpost router set scheme=poptrie", "other tables, while packets pass"},
                     {"fingerpost router reload", "read the configuration again"}};
    return made;
}

} // namespace fingerpost::cli
