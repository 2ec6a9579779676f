// The keys of the configuration file, one function for each section.
#include "router/config/config_keys.hpp"

#include <algorithm>
#include <fmt/ranges.h>
#include <optional>
#include <utility>
#include <vector>

#include "fingerpost/base/near_name.hpp"
#include "router/config/keys/kinds.hpp"
#include "router/config/text_checks.hpp"
#include "router/config/vrf_plan.hpp"
#include "router/routes/source/route_source.hpp"

namespace fingerpost::router {
namespace {

using namespace std::chrono_literals;

// Allowed core numbers. Whether the machine has a core is checked when threads are placed.
constexpr number_bounds core_number{0, 4'095};
constexpr number_bounds thread_count{1, 64};
// From the smallest ring that a driver accepts to the largest that any driver offers.
constexpr number_bounds ring_size{64, 32'768, true};

// Names of the route sources. One further source is selected by a path.
std::vector<std::string> source_names() {
    std::vector<std::string> names;
    for (const route_feed feed : route_feeds())
        if (!source_of(feed).is_path)
            names.emplace_back(source_of(feed).name);
    return names;
}

std::optional<route_feed> feed_of(const std::string& text) {
    std::optional<route_feed> by_path;
    for (const route_feed feed : route_feeds()) {
        if (source_of(feed).is_path)
            by_path = feed;
        else if (source_of(feed).name == text)
            return feed;
    }
    return by_path;
}

std::string check_routes(const std::string& text) {
    if (text.empty())
        return "a source is required";
    const std::vector<std::string> names = source_names();
    // A short word without a dot or slash is more often a mistyped source than a file.
    if (std::find(names.begin(), names.end(), text) != names.end() ||
        text.find_first_of("./") != std::string::npos)
        return {};
    const std::string near = near_name(text, names);
    return near.empty() ? "" : fmt::format("did you mean {}? Write ./ before the name of a file", near);
}

// Joins words as `a, b or c`, with `last` before the last word.
std::string listed(const std::vector<std::string>& words, std::string_view last) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text.append(i == 0 ? "" : i + 1 == words.size() ? last : ", ").append(words[i]);
    return text;
}

kind<config> routes_kind() {
    std::vector<std::string> choices;
    for (const route_feed feed : route_feeds())
        choices.push_back(source_of(feed).is_path ? "the path of a file"
                                                  : '"' + std::string(source_of(feed).name) + '"');
    return {listed(choices, " or "),
            [](const incoming& in, config& into) {
                const auto* text = in.value.as_string();
                if (text == nullptr)
                    return in.refuse(in.value);
                if (const std::string fault = check_routes(text->get()); !fault.empty())
                    return in.refuse(in.value, fault);
                const auto feed = feed_of(text->get());
                if (!feed)
                    return in.refuse(in.value);
                into.routes = {*feed, source_of(*feed).is_path ? text->get() : std::string()};
            },
            [](const config& from) {
                const route_source& source = source_of(from.routes.feed);
                return '"' + (source.is_path ? from.routes.path : std::string(source.name)) + '"';
            }};
}

std::string routes_meaning() {
    std::vector<std::string> meanings;
    for (const route_feed feed : route_feeds())
        meanings.emplace_back(source_of(feed).meaning);
    return "source of routes: " + listed(meanings, ", ");
}

kind<config> source_section(route_feed feed) {
    const route_source& source = source_of(feed);
    return {"a section",
            [feed, &source](const incoming& in, config& into) {
                if (const auto* table = in.value.as_table())
                    source.read(*table, in, into.sources.of(feed));
                else
                    in.refuse(in.value);
            },
            {},
            source.list,
            [feed, &source](const std::string& section, const config& from, std::vector<setting>& into) {
                source.list_values(section, from.sources.of(feed), into);
            }};
}

key_set<port_config> port_keys() {
    return {
        {"name", text(&port_config::name, "1 to 15 letters, digits and ._-", check_interface_name),
         "name of the port in logs, metrics and commands", true},
        {"device",
         text(&port_config::device, "a PCI address like 0000:3b:00.0, or a virtual device like net_tap0",
              check_device),
         "DPDK device, with its arguments after a comma", true},
        {"members",
         texts<port_config, std::string>(&port_config::members, "a list of devices like port.device",
                                         parse_member),
         "member devices of a net_bonding device; they use LACP unless its arguments set another mode"},
        {"queues", number(&port_config::queues, {1, 64}), "receive queues"},
        {"descriptors", number(&port_config::descriptors, ring_size),
         "number of packets that each queue of the device holds"},
        {"mtu", number(&port_config::mtu, {576, 9'600}), "longest IP packet, in bytes"},
        {"vlans", numbers(&port_config::vlans, {1, 4'094}, true),
         "VLANs (802.1Q) on the port, in addition to untagged packets"},
        {"addresses",
         texts<port_config, port_address>(
             &port_config::addresses, "a list of ADDRESS/LENGTH, or ADDRESS/LENGTH@VLAN", parse_port_address),
         "addresses that the kernel interface gets at the start; an address with @5 is for VLAN 5"},
        {"promiscuous", flag(&port_config::promiscuous), "receive packets for other MAC addresses"},
        {"tap", text(&port_config::tap, "1 to 15 letters, digits and ._-", check_interface_name),
         "name of the kernel interface for the port; empty: the port's name"},
    };
}

key_set<placement_config> placement_keys() {
    const auto cores = [](std::vector<unsigned> placement_config::*target) {
        return numbers(target, core_number, false);
    };
    return {
        {"receive", cores(&placement_config::receive), "cores of the receive threads, in order"},
        {"lookup", cores(&placement_config::lookup), "cores of the lookup threads, in order"},
        {"send", cores(&placement_config::send), "cores of the send threads, in order"},
        {"host", cores(&placement_config::host),
         "core of the host thread; empty: a free core if there is one"},
        {"control", cores(&placement_config::control),
         "core of the control thread; empty: a free core if there is one"},
        {"share", flag(&placement_config::share), "allow a core to be listed more than once"},
    };
}

// "auto", "lookups-apart", or a section with lists of cores.
kind<threads_config> placement_kind() {
    static constexpr const char* allowed = "\"auto\", \"lookups-apart\" or a section with lists of cores";
    return {allowed,
            [keys = placement_keys()](const incoming& in, threads_config& into) {
                if (const auto* table = in.value.as_table()) {
                    into.placement.automatic = false;
                    keys.read(*table, in, into.placement);
                } else if (const auto* word = in.value.as_string();
                           word != nullptr && (word->get() == "auto" || word->get() == "lookups-apart")) {
                    into.placement.automatic = true;
                    into.placement.lookups_apart = word->get() != "auto";
                } else {
                    in.refuse(in.value);
                }
            },
            {},
            [keys = placement_keys()](const std::string& name, std::vector<key_facts>& into) {
                into.push_back({name, allowed, "\"auto\"",
                                "core of each thread; auto keeps the stages of a pipeline in one cache, "
                                "lookups-apart gives lookup threads their own caches"});
                keys.list(name, into);
            },
            [keys = placement_keys()](const std::string& name, const threads_config& from,
                                      std::vector<setting>& into) {
                if (from.placement.automatic)
                    into.push_back({name, from.placement.lookups_apart ? "\"lookups-apart\"" : "\"auto\""});
                else
                    keys.list_values(name, from.placement, into);
            }};
}

key_set<threads_config> threads_keys() {
    return {
        {"mode",
         choice(&threads_config::mode, {{"pipeline", run_mode::pipeline},
                                        {"fused", run_mode::fused},
                                        {"complete", run_mode::complete}}),
         "pipeline: separate threads for each stage; fused: the same threads look up and send; complete: "
         "every thread does everything"},
        {"receive", number(&threads_config::receive, thread_count),
         "number of receive threads; in mode complete they also look up and send"},
        {"lookup", number(&threads_config::lookup, thread_count),
         "number of lookup threads in modes pipeline and fused"},
        {"send", number(&threads_config::send, thread_count), "number of send threads in mode pipeline"},
        {"placement", placement_kind(), ""},
        {"burst", number(&threads_config::burst, {1, 64}),
         "largest number of packets that a thread handles at a time"},
        {"ring", number(&threads_config::ring, ring_size),
         "number of packets that each ring between stages holds"},
        {"idle", choice(&threads_config::idle, {{"poll", idle_mode::poll}, {"sleep", idle_mode::sleep}}),
         "a thread without packets polls again immediately (poll) or sleeps for 50 us (sleep)"},
    };
}

key_set<kernel_config> kernel_keys() {
    return {
        {"namespace",
         text(&kernel_config::network_namespace, "the name of a network namespace or the path of one",
              check_namespace),
         "network namespace of the TAP interfaces; empty: the one in which the router was started"},
        {"host_ring", number(&kernel_config::host_ring, ring_size),
         "number of packets that each ring to and from the host thread holds"},
        {"neighbour_queue", number(&kernel_config::neighbour_queue, {1, 1'024}),
         "number of packets held for a neighbour until it is resolved; further packets are dropped"},
        {"icmp_rate", number(&kernel_config::icmp_rate, {0, 1'000'000}),
         "largest number of ICMP errors per second; 0: none"},
        {"icmp_burst", number(&kernel_config::icmp_burst, {1, 100'000}), "largest burst of ICMP errors"},
        {"port_rate", number(&kernel_config::port_rate, {0, 10'000'000}),
         "largest number of packets per second that each port passes to the kernel; 0: no limit"},
        {"port_burst", number(&kernel_config::port_burst, {1, 1'000'000}),
         "largest burst of packets that each port passes to the kernel"},
    };
}

kind<memory_config> huge_kind() {
    return {"true or false or \"auto\"",
            [](const incoming& in, memory_config& into) {
                const auto* word = in.value.as_string();
                const auto* flag = in.value.as_boolean();
                if (flag == nullptr && (word == nullptr || word->get() != "auto"))
                    return in.refuse(in.value);
                into.huge = flag != nullptr && flag->get();
                into.huge_if_there = flag == nullptr;
            },
            [](const memory_config& from) {
                return std::string(from.huge_if_there ? "\"auto\"" : from.huge ? "true" : "false");
            }};
}

key_set<memory_config> memory_keys() {
    return {
        {"huge", huge_kind(), "use huge pages; auto: if the machine has 512 MiB of them free"},
        {"megabytes", number(&memory_config::megabytes, {0, 1'048'576}),
         "memory for DPDK; 0: as much as it needs"},
        {"mbufs", number(&memory_config::mbufs, {0, 16'777'215}),
         "number of packet buffers; 0: as many as queues, rings and bursts can hold"},
    };
}

key_set<telemetry_config> telemetry_keys() {
    return {
        {"prometheus",
         text(&telemetry_config::prometheus, "ADDRESS:PORT, [ADDRESS]:PORT for IPv6, or \"\"",
              check_endpoint),
         "address for metrics over HTTP; empty: metrics are not served"},
        {"remote", flag(&telemetry_config::remote),
         "must be true if telemetry.prometheus is not a loopback address"},
        {"time_one_in", number(&telemetry_config::time_one_in, {0, 1'000'000}),
         "time one burst in this many, stage by stage; 0: none"},
        {"sample_one_in", number(&telemetry_config::sample_one_in, {0, 1'000'000'000}),
         "count the prefix of one packet in this many; 0: none"},
    };
}

key_set<privileges_config> privileges_keys() {
    return {
        {"user", text(&privileges_config::user, "the name of a user", check_account),
         "user that the router switches to after its start; empty: no change"},
        {"group", text(&privileges_config::group, "the name of a group", check_account),
         "group that it switches to; empty: the user's own group"},
    };
}

} // namespace

key_set<port_config> keys_of_port() {
    return port_keys();
}

key_set<config> keys_of_config(std::span<const std::string> schemes) {
    std::string scheme_type = "the name of a scheme";
    if (!schemes.empty())
        scheme_type += fmt::format(" ({})", fmt::join(schemes, ", "));
    const std::vector<std::string> names(schemes.begin(), schemes.end());
    std::vector<key<config>> keys{
        {"scheme",
         text(&config::scheme, scheme_type,
              [names](const std::string& name) { return check_scheme(name, names); }),
         "lookup scheme; empty: the default scheme (`fingerpost schemes` lists all schemes)"},
        {"routes", routes_kind(), routes_meaning()},
    };
    for (const route_feed feed : route_feeds())
        if (source_of(feed).read != nullptr)
            keys.push_back({std::string(source_of(feed).name), source_section(feed), ""});
    keys.insert(keys.end(), {
                                {"port", sections(&config::ports, port_keys()), ""},
                                {"vrf", sections(&config::vrfs, vrf_keys()), ""},
                                {"threads", section(&config::threads, threads_keys()), ""},
                                {"kernel", section(&config::kernel, kernel_keys()), ""},
                                {"memory", section(&config::memory, memory_keys()), ""},
                                {"telemetry", section(&config::telemetry, telemetry_keys()), ""},
                                {"privileges", section(&config::privileges, privileges_keys()), ""},
                            });
    return key_set<config>(std::move(keys));
}

} // namespace fingerpost::router
