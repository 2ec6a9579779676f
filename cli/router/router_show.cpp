// `fingerpost router show`: shows part of a running router's status.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/router/router_commands.hpp"
#include "cli/router/router_hits.hpp"
#include "cli/router/router_search.hpp"
#include "cli/router/router_values.hpp"
#include "io/format/parts/printable.hpp"
#include "terminal/columns.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {
namespace {

// The entry's own name, or the name of the member that contains it.
std::string name_of_entry(const std::string& key, const answer& object) {
    return member_of(object, "name").is_string() ? text_of(object, "name") : key;
}

// A column of an answer whose members are objects: its title and the member that it shows.
struct shown_member {
    const char* title;
    const char* name;
    bool is_number = true;
};

struct shown_part {
    const char* name;
    const char* summary;
    std::string (*render)(const answer&);
};

std::string with_columns(const answer& reply, const char* what, const std::vector<shown_member>& members) {
    std::vector<columns::head> heads = {{what}};
    for (const shown_member& m : members)
        heads.push_back({m.title, m.is_number});
    columns page(std::move(heads));
    for (const auto& [key, object] : reply.items()) {
        std::vector<std::string> cells = {name_of_entry(key, object)};
        for (const shown_member& m : members)
            cells.push_back(text_of(object, m.name));
        page.add(std::move(cells));
    }
    return page.text();
}

std::string render_ports(const answer& reply) {
    answer shown = reply;
    for (auto& [name, object] : shown.items())
        if (const auto up = number_of(object, "up"))
            object["up"] = *up != 0 ? "up" : "down";
    return with_columns(shown, "port",
                        {{"state", "up", false},
                         {"received", "received_packets"},
                         {"bytes", "received_bytes"},
                         {"sent", "sent_packets"},
                         {"bytes", "sent_bytes"},
                         {"missed", "missed"},
                         {"no buffer", "no_buffer"},
                         {"refused", "refused"},
                         {"receive errors", "receive_errors"},
                         {"send errors", "send_errors"},
                         {"tap", "tap", false},
                         {"mac", "mac", false},
                         {"device", "device", false}});
}

std::string render_threads(const answer& reply) {
    answer shown = reply;
    for (auto& [name, object] : shown.items())
        if (const auto share = number_of(object, "busy_share"))
            object["busy_share"] = percent_of(share);
    return with_columns(shown, "thread",
                        {{"core", "core"},
                         {"received", "received"},
                         {"sent", "sent"},
                         {"dropped", "dropped"},
                         {"busy", "busy_share"},
                         {"mean batch", "mean_batch"}});
}

std::string render_tables(const answer& reply) {
    return with_columns(reply, "family",
                        {{"scheme", "scheme", false},
                         {"routes", "routes"},
                         {"bytes", "bytes"},
                         {"version", "version"},
                         {"pending", "pending"},
                         {"announced", "announced"},
                         {"withdrawn", "withdrawn"},
                         {"swept", "swept"},
                         {"refused", "refused"}});
}

// Shows only reasons that occurred; most never do.
std::string render_drops(const answer& reply) {
    columns page({{"reason"}, {"packets", true}});
    std::size_t others = 0;
    for (const auto& [reason, count] : reply.items()) {
        if (count == 0)
            ++others;
        else
            page.add({reason, text_of(reply, reason.c_str())});
    }
    if (page.is_empty())
        return "nothing was dropped\n";
    return page.text() + fmt::format("{} other reasons: none\n", others);
}

std::string render_neighbours(const answer& reply) {
    columns page({{"address"}, {"interface"}, {"state"}, {"mac"}});
    for (const answer& entry : reply)
        page.add({text_of(entry, "address"), text_of(entry, "interface"), text_of(entry, "state"),
                  text_of(entry, "mac")});
    return page.is_empty() ? "no neighbours\n" : page.text();
}

// A long list ends with the number of entries that were left out.
std::string interfaces_of(const answer& vrf) {
    const auto count = static_cast<std::size_t>(number_of(vrf, "interfaces").value_or(0));
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        const answer& name = member_of(vrf, fmt::format("interface{}", i).c_str());
        if (!name.is_string())
            return text + fmt::format(" and {} more", count - i);
        text += (text.empty() ? "" : " ") + name.get<std::string>();
    }
    return text.empty() ? "-" : text;
}

std::string render_vrfs(const answer& reply) {
    columns page({{"vrf"},
                  {"table", true},
                  {"IPv4 routes", true},
                  {"IPv6 routes", true},
                  {"bytes", true},
                  {"interfaces"}});
    for (const answer& entry : reply) {
        const bool has_table = number_of(entry, "table").value_or(0) != 0;
        // Written without separators, because it is a kernel identifier, not a count.
        page.add({text_of(entry, "name"), has_table ? member_of(entry, "table").dump() : "-",
                  text_of(entry, "ipv4_routes"), text_of(entry, "ipv6_routes"), text_of(entry, "bytes"),
                  interfaces_of(entry)});
    }
    return page.text();
}

std::string render_summary(const answer& reply) {
    const auto line = [](const char* title, const std::string& text) {
        return fmt::format("{:<12} {}\n", title, io::printable(text));
    };
    std::string out = line("up for", duration_text(number_of(reply, "uptime_seconds").value_or(0)));
    out += line("source", source_text(reply));
    out += line("IPv4 routes", text_of(reply, "ipv4_routes"));
    out += line("IPv6 routes", text_of(reply, "ipv6_routes"));
    out += line("next hops", text_of(reply, "next_hops"));
    out += line("missed", text_of(reply, "missed"));
    out += line("received", text_of(reply, "received"));
    out += line("sent", text_of(reply, "sent"));
    out += line("dropped", text_of(reply, "dropped"));
    out += line("to kernel", text_of(reply, "to_kernel"));
    out += line("from kernel", text_of(reply, "from_kernel"));
    out += line("made", text_of(reply, "made"));
    return out + line("waiting", text_of(reply, "waiting"));
}

std::string render_stages(const answer& reply) {
    const std::string page = stages_text({}, reply);
    return page.empty() ? "no burst was timed\n" : page;
}

std::string render_next_hops(const answer& reply) {
    const std::string page = next_hops_text({}, reply, 0);
    return page.empty() ? "no packet was looked up\n" : page;
}

std::string render_prefixes(const answer& reply) {
    const std::string page = prefixes_text(reply, reply.size());
    return page.empty() ? "no packet was sampled\n" : page;
}

constexpr shown_part shown_parts[] = {
    {"summary", "packets, routes and their source", render_summary},
    {"ports", "ports, their devices and their traffic", render_ports},
    {"threads", "worker threads: load and batch size since the start", render_threads},
    {"drops", "dropped packets by reason", render_drops},
    {"tables", "routes and scheme of each family", render_tables},
    {"neighbours", "neighbours and their MAC addresses", render_neighbours},
    {"vrf", "VRFs, their tables, routes and interfaces", render_vrfs},
    {"stages", "cycles per packet, by stage and batch size (sampled)", render_stages},
    {"next_hops", "packets per next hop (exact)", render_next_hops},
    {"prefixes", "busiest prefixes (estimated from samples)", render_prefixes},
};

struct router_show_options {
    router_choice router;
    router_format format = router_format::table;
    std::string part = "summary";
    std::string vrf; // empty: the default
};

// The router returns long lists in numbered parts. The parameter is the number of the first entry.
answer ask_for_list(router_socket& router, const std::string& part) {
    answer list = answer::object();
    for (std::size_t known = list.size();; known = list.size()) {
        list.update(router.ask(fmt::format("{},{}", part, known)));
        if (list.size() == known)
            return list;
    }
}

int show_part(const router_show_options& options) {
    const auto& part = *std::find_if(std::begin(shown_parts), std::end(shown_parts),
                                     [&](const shown_part& part) { return part.name == options.part; });
    if (!options.vrf.empty() && options.part != "tables")
        throw usage_error(fmt::format("--vrf does not apply to {}, only to tables", options.part));
    router_socket router = open_router(options.router);
    const bool is_list = options.part == "neighbours" || options.part == "vrf";
    const bool is_of_hits =
        part.render == render_stages || part.render == render_next_hops || part.render == render_prefixes;
    const answer reply = is_of_hits ? ask_for_items(router, options.part)
                         : is_list  ? ask_for_list(router, options.part)
                                    : router.ask(options.part + in_vrf(options.vrf));
    if (const answer& error = member_of(reply, "error"); error.is_string())
        throw failure(io::printable(error.get<std::string>()));
    output out;
    out.write(options.format == router_format::json ? reply.dump(2) + '\n' : part.render(reply));
    out.finish();
    return exit_code::ok;
}

} // namespace

command router_show_command() {
    auto options = std::make_shared<router_show_options>();
    command result{.name = "router show", .summary = "show the router's status"};
    std::vector<std::string> names;
    result.more = "Parts:\n";
    for (const shown_part& part : shown_parts) {
        names.emplace_back(part.name);
        result.more += fmt::format("  {}  {}\n", part.name, part.summary);
    }
    add_router_format(result, options->format);
    add_router_options(result, options->router);
    add_vrf_option(result, options->vrf);
    result.rest = {.name = "PART",
                   .help = "Part to show, see below (default: summary)",
                   .most = 1,
                   .choices = names,
                   .take = [options, names](const std::string& name) {
                       options->part = name;
                       return refuse_name(name, names);
                   }};
    result.examples = {{"fingerpost router show drops", "Show dropped packets by reason"},
                       {"fingerpost router show tables --vrf red", "Show the tables of a VRF"},
                       {"fingerpost router show ports --format json", "Print JSON"}};
    result.run = [options] { return show_part(*options); };
    return result;
}

} // namespace fingerpost::cli
