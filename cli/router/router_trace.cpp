// `fingerpost router trace`: shows each stage that packets pass in a running router.
#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "cli/router/router_commands.hpp"
#include "cli/router/router_search.hpp"
#include "cli/router/router_values.hpp"
#include "cli/router/router_watch.hpp"
#include "cli/router/traced_packet.hpp"
#include "fingerpost/net/text.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/help.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {
namespace {

enum class trace_format : std::uint8_t { text, json };

struct router_trace_options {
    router_choice router;
    std::string from; // empty: any port
    std::string to;   // empty: any destination
    std::uint64_t limit = 10;
    std::uint64_t every = 1;
    double seconds = 60;
    trace_format format = trace_format::text;
};

// Explains why the text is not a prefix; empty if it is one.
std::string fault_of_prefix(const std::string& text) {
    const auto prefix = parse_prefix(text);
    return prefix ? "" : message(prefix.error());
}

// Adds steps that did not fit in the first answer.
void complete_steps(router_socket& router, std::uint64_t session, answer& reply) {
    const auto count = whole_of(reply, "steps");
    for (std::size_t known = steps_in(reply, 0); known < count;) {
        const answer more = router.ask(fmt::format("trace_steps,{},{}", session, known));
        refuse_error(more);
        const std::size_t added = steps_in(more, known);
        if (added == 0)
            return;
        for (std::size_t i = known; i < known + added; ++i) {
            const std::string name = fmt::format("step{}", i);
            reply[name] = member_of(more, name.c_str());
        }
        known += added;
    }
}

int trace_packets(const router_trace_options& options) {
    router_socket router = open_router(options.router);
    const std::string command =
        fmt::format("trace_start,{},{},{},{},{}", options.limit, options.every,
                    static_cast<std::uint64_t>(options.seconds * 1000), options.to.empty() ? "-" : options.to,
                    options.from.empty() ? "-" : options.from);
    router_watch trace(router, command, "trace_next");
    output out;
    std::uint64_t packets = 0;
    trace.read(
        [&](answer& reply) {
            if (member_of(reply, "packet").is_null())
                return false;
            complete_steps(router, trace.session(), reply);
            if (options.format == trace_format::json)
                out.write(packet_object(reply).dump(-1, ' ', false, answer::error_handler_t::replace) + '\n');
            else
                out.write((packets == 0 ? "" : "\n") + packet_text(reply, shown_width()));
            ++packets;
            return true;
        },
        [&] { out.flush(); });
    out.finish();
    if (packets == 0)
        report(fmt::format("no matching packet within {} s", options.seconds));
    if (trace.missed() != 0)
        report(fmt::format("{} more packets were not traced because they arrived faster than they were read",
                           trace.missed()));
    return exit_code::ok;
}

} // namespace

command router_trace_command() {
    auto options = std::make_shared<router_trace_options>();
    command result{.name = "router trace", .summary = "trace the next packets through the router"};
    add_text(result, "--from", "PORT", options->from, "Only packets received on PORT");
    add_option(result, {.name = "--to",
                        .value = "PREFIX",
                        .help = "Only packets to PREFIX",
                        .take = [options](const std::string& text) {
                            options->to = text;
                            return fault_of_prefix(text);
                        }});
    add_number(result, "--limit", options->limit, {1, 1'000'000}, "Stop after N packets");
    add_number(result, "--every", options->every, {1, 1'000'000'000}, "Trace every Nth matching packet");
    add_real(result, "--seconds", options->seconds, 0.1, 86'400, "Stop after this many seconds");
    add_choice<trace_format>(result, "--format", options->format,
                             {{"text", trace_format::text}, {"json", trace_format::json}},
                             "Output format; JSON is an object per line");
    add_router_options(result, options->router);
    result.more =
        "Packets from the kernel are not traced. At most 1,024 packets are traced at once; others pass "
        "untraced. One trace can run at a time; without one there is no overhead.\n";
    result.examples = {
        {"fingerpost router trace --from lan --to 198.18.0.0/15 --limit 1",
         "Show the stages of one packet, and how the scheme found its route"},
        {"fingerpost router trace --every 1000 --limit 100 --format json", "Sample packets as JSON"}};
    result.run = [options] { return trace_packets(*options); };
    return result;
}

} // namespace fingerpost::cli
