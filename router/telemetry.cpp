// Renders the router's status as DPDK telemetry data.
#include "router/telemetry.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <string>

#include <fmt/format.h>
#include <rte_cycles.h>
#include <rte_telemetry.h>

#include "router/status.hpp"
#include "router/telemetry_data.hpp"
#include "router/telemetry_hits.hpp"
#include "router/watch_telemetry.hpp"

namespace fingerpost::router {
namespace {

// DPDK passes no user data to callbacks and cannot unregister commands, so the pointer is global.
std::atomic<service*> active_service{nullptr};

// Collects the status in the control thread and renders it in this one.
template <class Render>
int answer(rte_tel_data* to, Render render) {
    service* const of = active_service.load();
    router_status now;
    if (of == nullptr || !of->call([&] { now = status_of(*of); }))
        return -EAGAIN;
    rte_tel_data_start_dict(to);
    render(now, to);
    return 0;
}

void render_summary(const router_status& now, rte_tel_data* to) {
    add(to, "uptime_seconds", now.uptime);
    add(to, "received", now.received);
    add(to, "sent", now.sent);
    add(to, "to_kernel", now.to_kernel);
    add(to, "from_kernel", now.from_kernel);
    add(to, "made", now.generated);
    add(to, "missed", now.missed);
    add(to, "waiting", now.waiting);
    add(to, "buffers", now.buffers);
    add(to, "buffers_in_use", now.buffers_in_use);
    std::uint64_t dropped = 0;
    for (const std::uint64_t count : now.drops)
        dropped += count;
    add(to, "dropped", dropped);
    add(to, "next_hops", now.next_hops);
    add(to, "cycles_per_second", rte_get_tsc_hz());
    add(to, "neighbour_confirmations", now.confirmations);
    std::array<std::uint64_t, 2> routes{};
    for (const vrf_status& vrf : now.vrfs)
        for (std::size_t i = 0; i < routes.size(); ++i)
            routes[i] += vrf.tables[i].routes;
    add(to, "ipv4_routes", routes[0]);
    add(to, "ipv6_routes", routes[1]);
    add(to, "vrfs", std::uint64_t{now.vrfs.size()});
    add(to, "source", now.feed.kind);
    add(to, "source_detail", now.feed.detail);
    add(to, "source_connected", std::uint64_t{now.feed.connected});
    add(to, "source_refreshing", std::uint64_t{now.feed.refreshing});
    add(to, "source_sweeps", now.feed.sweeps);
    add(to, "source_errors", now.feed.errors);
    add(to, "source_state", now.feed.state);
    add(to, "source_stale_routes", now.feed.stale_routes);
    add(to, "source_stale_seconds", now.feed.stale_seconds);
    add(to, "source_refused", now.feed.refused);
    add(to, "source_other_tables", now.feed.other_tables);
}

// Objects whose names come from outside, such as ports and addresses, are numbered and have their name as a
// member, because DPDK refuses most characters in names.
void render_ports(const router_status& now, rte_tel_data* to) {
    for (std::size_t i = 0; i < now.ports.size(); ++i)
        add_group(to, std::to_string(i), [&, &port = now.ports[i]](rte_tel_data* in) {
            add(in, "name", port.name);
            add(in, "device", port.device);
            add(in, "mac", port.mac);
            add(in, "tap", port.tap);
            add(in, "up", std::uint64_t{port.up});
            add(in, "received_packets", port.received_packets);
            add(in, "received_bytes", port.received_bytes);
            add(in, "sent_packets", port.sent_packets);
            add(in, "sent_bytes", port.sent_bytes);
            add(in, "missed", port.missed);
            add(in, "no_buffer", port.no_buffer);
            add(in, "receive_errors", port.receive_errors);
            add(in, "send_errors", port.send_errors);
            add(in, "taken", port.taken_packets);
            add(in, "given", port.given_packets);
            add(in, "refused", port.refused);
        });
}

void render_threads(const router_status& now, rte_tel_data* to) {
    for (const thread_status& thread : now.threads)
        add_group(to, thread.name, [&](rte_tel_data* in) {
            add(in, "core", std::uint64_t{thread.core});
            add(in, "received", thread.received);
            add(in, "sent", thread.sent);
            add(in, "dropped", thread.dropped);
            add(in, "rounds", thread.rounds);
            add(in, "idle_rounds", thread.idle_rounds);
            add(in, "busy_cycles", thread.busy_cycles);
            add(in, "cycles", thread.cycles);
            add(in, "lookups", thread.lookups);
            add(in, "looked_up", thread.looked_up);
            add(in, "busy_share", thread.busy);
            add(in, "mean_batch", thread.mean_batch);
        });
}

void render_drops(const router_status& now, rte_tel_data* to) {
    for (const drop_reason_facts& reason : drop_reasons)
        add(to, std::string(reason.name).c_str(), now.drops[index_of(reason.reason)]);
}

void render_tables(const std::array<table_status, 2>& tables, rte_tel_data* to) {
    for (const table_status& table : tables)
        add_group(to, std::string(table.family), [&](rte_tel_data* in) {
            add(in, "scheme", table.scheme);
            add(in, "routes", table.routes);
            add(in, "bytes", table.bytes);
            add(in, "version", table.version);
            add(in, "pending", table.pending);
            add(in, "announced", table.counts.announced);
            add(in, "withdrawn", table.counts.withdrawn);
            add(in, "swept", table.counts.swept);
            add(in, "refused", table.counts.refused);
            add(in, "commits", table.counts.commits);
        });
}

int answer_tables(const char*, const char* parameters, rte_tel_data* to) {
    const std::string name = parameters == nullptr ? "default" : parameters;
    return answer(to, [&name](const router_status& now, rte_tel_data* in) {
        const auto vrf = std::ranges::find(now.vrfs, name, &vrf_status::name);
        if (vrf == now.vrfs.end())
            add(in, "error", fmt::format("there is no VRF {}", name));
        else
            render_tables(vrf->tables, in);
    });
}

// Limits that always fit into a DPDK answer: it has at most 16 KiB and silently drops the rest.
constexpr std::size_t neighbours_an_answer = 100;
constexpr std::size_t vrfs_an_answer = 25;
constexpr std::size_t interfaces_a_vrf = 16;

// The parameter of a command that answers in parts: the number of items to skip.
std::size_t first_of(const char* parameters) {
    const std::string_view text = parameters == nullptr ? "" : parameters;
    std::uint32_t first = 0;
    (void)std::from_chars(text.data(), text.data() + text.size(), first);
    return first;
}

void render_vrfs(const router_status& now, std::size_t first, rte_tel_data* to) {
    const std::size_t end = std::min(now.vrfs.size(), first + vrfs_an_answer);
    for (std::size_t i = first; i < end; ++i)
        add_group(to, std::to_string(i), [&vrf = now.vrfs[i]](rte_tel_data* in) {
            add(in, "name", vrf.name);
            add(in, "table", vrf.table);
            add(in, "ipv4_routes", vrf.tables[0].routes);
            add(in, "ipv6_routes", vrf.tables[1].routes);
            add(in, "bytes", vrf.tables[0].bytes + vrf.tables[1].bytes);
            add(in, "interfaces", std::uint64_t{vrf.interfaces.size()});
            for (std::size_t k = 0; k < std::min(vrf.interfaces.size(), interfaces_a_vrf); ++k)
                add(in, fmt::format("interface{}", k).c_str(), vrf.interfaces[k]);
        });
}

int answer_vrfs(const char*, const char* parameters, rte_tel_data* to) {
    return answer(to, [first = first_of(parameters)](const router_status& now, rte_tel_data* in) {
        render_vrfs(now, first, in);
    });
}

void render_neighbours(const router_status& now, std::size_t first, rte_tel_data* to) {
    const std::size_t end = std::min(now.neighbours.size(), first + neighbours_an_answer);
    for (std::size_t i = first; i < end; ++i)
        add_group(to, std::to_string(i), [&, &neighbour = now.neighbours[i]](rte_tel_data* in) {
            add(in, "address", neighbour.address);
            add(in, "interface", neighbour.interface);
            add(in, "mac", neighbour.mac);
            add(in, "state", neighbour.state);
        });
}

int answer_neighbours(const char*, const char* parameters, rte_tel_data* to) {
    return answer(to, [first = first_of(parameters)](const router_status& now, rte_tel_data* in) {
        render_neighbours(now, first, in);
    });
}

// Number of paths that fit into an answer.
constexpr std::size_t paths_an_answer = 64;

// Numbered, because DPDK has no lists of dictionaries.
void render_paths(const lookup_status& match, rte_tel_data* to) {
    if (!match.paths.empty())
        add(to, "paths", std::uint64_t{match.paths.size()});
    for (std::size_t i = 0; i < std::min(match.paths.size(), paths_an_answer); ++i)
        add_group(to, fmt::format("path{}", i), [&path = match.paths[i]](rte_tel_data* in) {
            add(in, "via", path.via);
            add(in, "weight", path.weight);
            add(in, "share", path.share);
            add(in, "action", path.action);
            add(in, "port", path.port);
            add(in, "mac", path.mac);
            add(in, "mtu", path.mtu);
        });
}

int answer_lookup(const char*, const char* parameters, rte_tel_data* to) {
    service* const of = active_service.load();
    expected<lookup_status, std::string> match = unexpected{std::string("the router does not answer")};
    const std::string_view text = parameters == nullptr ? "" : parameters;
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view vrf = comma == text.size() ? "default" : text.substr(comma + 1);
    if (of == nullptr || !of->call([&] { match = look_up(*of, text.substr(0, comma), vrf); }))
        return -EAGAIN;
    rte_tel_data_start_dict(to);
    if (!match) {
        add(to, "error", match.error());
        return 0;
    }
    add(to, "address", match->address);
    add(to, "prefix", match->prefix);
    add(to, "via", match->via);
    add(to, "action", match->action);
    add(to, "port", match->port);
    add(to, "mac", match->mac);
    add(to, "mtu", match->mtu);
    render_paths(*match, to);
    return 0;
}

// Answers a command whose parameter is the number of the first item.
template <auto collect, auto render>
int answer_items(const char*, const char* parameters, rte_tel_data* to) {
    service* const of = active_service.load();
    const auto first = static_cast<std::uint32_t>(first_of(parameters));
    decltype(collect(*of, first)) now;
    if (of == nullptr || !of->call([&] { now = collect(*of, first); }))
        return -EAGAIN;
    rte_tel_data_start_dict(to);
    render(now, to);
    return 0;
}

template <auto render>
int answer_with(const char*, const char*, rte_tel_data* to) {
    return answer(to, render);
}

void register_once() {
    static const bool done = [] {
        rte_telemetry_register_cmd("/fingerpost/summary", answer_with<render_summary>,
                                   "Packets, routes and their source");
        rte_telemetry_register_cmd("/fingerpost/ports", answer_with<render_ports>, "Ports and their devices");
        rte_telemetry_register_cmd("/fingerpost/threads", answer_with<render_threads>,
                                   "Threads: busy share, batch sizes");
        rte_telemetry_register_cmd("/fingerpost/drops", answer_with<render_drops>,
                                   "Dropped packets by reason");
        rte_telemetry_register_cmd("/fingerpost/tables", answer_tables,
                                   "Routes and FIBs of each family. Parameter: a VRF");
        rte_telemetry_register_cmd("/fingerpost/vrf", answer_vrfs,
                                   "Up to 25 VRFs and their routes. Parameter: number of VRFs to skip");
        rte_telemetry_register_cmd(
            "/fingerpost/neighbours", answer_neighbours,
            "Up to 100 neighbours and their state. Parameter: number of neighbours to skip");
        rte_telemetry_register_cmd("/fingerpost/stages", answer_items<collect_stages, render_stages>,
                                   "Cycles by thread, stage and batch size. Parameter: the first number");
        rte_telemetry_register_cmd("/fingerpost/next_hops", answer_items<collect_next_hops, render_next_hops>,
                                   "Packets by next hop. Parameter: the first number");
        rte_telemetry_register_cmd("/fingerpost/busiest_next_hops",
                                   answer_items<collect_busiest_next_hops, render_next_hops>,
                                   "Next hops with the most packets");
        rte_telemetry_register_cmd("/fingerpost/prefixes", answer_items<collect_prefixes, render_prefixes>,
                                   "Packets by prefix, estimated. Parameter: the first number");
        rte_telemetry_register_cmd("/fingerpost/lookup", answer_lookup,
                                   "Destination of packets to an address. Parameter: the address[,a VRF]");
        return true;
    }();
    (void)done;
}

} // namespace

telemetry::telemetry(service& of) {
    active_service.store(&of);
    serve_watch_commands(&of);
    register_once();
}

telemetry::~telemetry() {
    serve_watch_commands(nullptr);
    active_service.store(nullptr);
}

} // namespace fingerpost::router
