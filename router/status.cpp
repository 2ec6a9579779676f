// Collects the router's status.
#include "router/status.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>
#include <rte_ethdev.h>

#include "fingerpost/net/text.hpp"
#include "router/packet/mac_text.hpp"

namespace fingerpost::router {
namespace {

port_status status_of_port(const service& from, std::size_t number) {
    const port_config& port = from.settings().ports[number];
    const open_device& device = from.ports()[number];
    port_status status;
    status.name = port.name;
    status.device = port.device;
    const interfaces& links = from.data().tables().links();
    const link_state* const tap = links.link(links.find_interface(static_cast<std::uint16_t>(number), 0));
    status.mac = tap != nullptr ? mac_text(tap->mac) : mac_text(device.mac().addr_bytes);
    status.tap = port.tap;
    status.up = from.carriers().is_up(number);
    rte_eth_stats counted{};
    if (rte_eth_stats_get(device.number(), &counted) == 0) {
        status.received_packets = counted.ipackets;
        status.received_bytes = counted.ibytes;
        status.sent_packets = counted.opackets;
        status.sent_bytes = counted.obytes;
        status.missed = counted.imissed + from.lost_in_ring(number);
        status.no_buffer = counted.rx_nombuf;
        status.receive_errors = counted.ierrors;
        status.send_errors = counted.oerrors;
    }
    return status;
}

double share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::uint64_t sum_of_drops(const thread_counters& counts) {
    std::uint64_t sum = 0;
    for (const counter& count : counts.dropped)
        sum += count.get();
    return sum;
}

template <class A>
table_status status_of_table(const ip_table& table, const route_counts& counts) {
    const family_table<A>& routes = table.of<A>();
    table_status status;
    status.family = name_of(family_of<A>);
    status.scheme = routes.scheme().facts.name;
    status.routes = routes.size();
    status.bytes = routes.memory().fib;
    status.version = table.version();
    status.pending = routes.pending();
    status.counts = counts;
    return status;
}

constexpr std::string_view name_of_state(const neighbour& entry) {
    switch (entry.state) {
    case neighbour_state::resolved:
        return entry.stale ? "stale" : "resolved";
    case neighbour_state::failed:
        return "failed";
    default:
        return "unresolved";
    }
}

std::array<table_status, 2> status_of_tables(const vrf_routes& routes) {
    return {status_of_table<ipv4_address>(routes.table(), routes.ipv4_counts()),
            status_of_table<ipv6_address>(routes.table(), routes.ipv6_counts())};
}

std::vector<vrf_status> status_of_vrfs(const forwarding& tables) {
    std::vector<vrf_status> vrfs;
    for (std::size_t i = 0; i < tables.vrfs().size(); ++i) {
        const auto number = static_cast<vrf_number>(i);
        const vrf_facts& facts = tables.vrfs()[number];
        vrfs.push_back({facts.name, facts.table, {}, status_of_tables(tables.routes_of(number))});
    }
    tables.links().each_link([&](const link_state& link) {
        if (tables.links().find_egress(link.index))
            vrfs[tables.links().vrf_of(link.index)].interfaces.push_back(link.name);
    });
    return vrfs;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Sets action, port, MAC address and MTU from a next hop entry.
void fill_way(auto& status, const service& in, const next_hop_entry& entry, bool is_ipv4) {
    status.action = name_of(entry.kind);
    if (entry.kind == hop_kind::forward) {
        std::array<std::uint8_t, link_header::most_bytes> before{};
        entry.out.header.write_before(before.data() + before.size(), is_ipv4);
        status.mac = mac_text(before.data() + before.size() - entry.out.header.length());
        status.port = in.settings().ports[entry.port].name;
    }
    status.mtu = entry.out.mtu;
}

template <class A>
lookup_status look_up_in(service& in, const family_table<A>& routes, A address) {
    lookup_status status;
    status.address = to_string(address);
    const forwarding_view view = in.data().tables().view();
    const auto match = routes.match(address);
    next_hop hop = next_hop::none;
    if (match) {
        status.prefix = to_string(match->where);
        hop = match->hop;
        status.via = in.data().tables().hops().describe(hop.id);
    }
    const next_hop_entry* entry = &(*view.hops)[hop];
    if (entry->kind == hop_kind::connected)
        if (const next_hop known = view.neighbours->find(entry->interface, address); known != next_hop::none)
            entry = &(*view.hops)[known];
    fill_way(status, in, *entry, A::bits == 32);
    if (entry->kind == hop_kind::group)
        for (const auto& path : in.data().tables().hops().paths_of_group(hop.id)) {
            path_status& current = status.paths.emplace_back();
            current.via = in.data().tables().hops().describe(path.number);
            current.weight = path.weight;
            current.share = path.share;
            fill_way(current, in, (*view.hops)[next_hop{path.number}], A::bits == 32);
        }
    return status;
}

void add_packets(router_status& to, const thread_counters& counts) {
    for (std::size_t why = 0; why < drop_reason_count; ++why)
        to.drops[why] += counts.dropped[why].get();
    to.received += counts.received.get();
    to.sent += counts.sent.get();
    to.to_kernel += counts.to_kernel.get();
    to.from_kernel += counts.from_kernel.get();
    to.generated += counts.generated.get();
    for (std::size_t port = 0; port < to.ports.size(); ++port) {
        to.ports[port].taken_packets += counts.ports[port].received.get();
        to.ports[port].given_packets += counts.ports[port].sent.get();
        to.ports[port].refused += counts.ports[port].not_sent.get();
    }
}

} // namespace

router_status status_of(const service& from) {
    router_status status;
    status.uptime = seconds_since(from.started());
    for (std::size_t i = 0; i < from.ports().size(); ++i) {
        status.ports.push_back(status_of_port(from, i));
        status.missed += status.ports.back().missed + status.ports.back().no_buffer;
    }
    const engine& data = from.data();
    for (std::size_t i = 0; i < data.plan().threads.size(); ++i) {
        const thread_counters& counts = data.counters(i);
        status.threads.push_back({data.plan().threads[i].name, from.plan().threads.cores[i],
                                  counts.received.get(), counts.sent.get(), sum_of_drops(counts),
                                  counts.rounds.get(), counts.idle_rounds.get(), counts.busy_cycles.get(),
                                  counts.cycles.get(), counts.lookups.get(), counts.looked_up.get(),
                                  share(counts.busy_cycles.get(), counts.cycles.get()),
                                  share(counts.looked_up.get(), counts.lookups.get())});
        add_packets(status, counts);
    }
    add_packets(status, data.former_counters());
    status.waiting = data.waiting();
    status.buffers = from.packets().size();
    status.buffers_in_use = from.packets().in_use();
    const forwarding& tables = data.tables();
    tables.links().each_neighbour([&](const neighbour& entry) {
        const link_state* const link = tables.links().link(entry.interface);
        status.neighbours.push_back({to_string(entry.address),
                                     link != nullptr ? link->name : std::to_string(entry.interface),
                                     mac_text(entry.mac), name_of_state(entry)});
    });
    status.confirmations = from.confirmations();
    status.vrfs = status_of_vrfs(tables);
    status.tables = status.vrfs[default_vrf].tables;
    status.feed = from.feeder().status();
    status.next_hops = tables.hops().size();
    return status;
}

expected<lookup_status, std::string> look_up(service& in, std::string_view address, std::string_view vrf) {
    const auto number = in.data().tables().vrfs().named(vrf);
    if (!number)
        return unexpected{fmt::format("there is no VRF {}", vrf)};
    const vrf_routes& routes = in.data().tables().routes_of(*number);
    const auto parsed = parse_address(address);
    if (!parsed)
        return unexpected{message(parsed.error())};
    return std::visit([&]<class A>(A a) { return look_up_in(in, routes.routes<A>(), a); }, *parsed);
}

std::optional<std::string> routes_text(service& of, vrf_number vrf) {
    // The tables are never replaced, and copying one does not delay the control thread.
    const vrf_routes& from = std::as_const(of).data().tables().routes_of(vrf);
    const auto ipv4 = from.routes<ipv4_address>().copy_routes();
    const auto ipv6 = from.routes<ipv6_address>().copy_routes();
    std::map<std::uint32_t, std::string> names;
    for (const auto& route : ipv4)
        names[route.hop.id];
    for (const auto& route : ipv6)
        names[route.hop.id];
    const auto describe = [&] {
        for (auto& [number, name] : names)
            name = of.data().tables().hops().describe(number);
    };
    if (!of.call(describe))
        return std::nullopt;
    std::string text;
    const auto append = [&](const auto& routes) {
        for (const auto& route : routes)
            text += to_string(route.where) + " " + names[route.hop.id] + "\n";
    };
    append(ipv4);
    append(ipv6);
    return text;
}

} // namespace fingerpost::router
