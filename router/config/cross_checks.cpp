// Checks of each section together with the keys that depend on it.
//
// A configuration that the router would not follow is an error. A configuration that it can follow, but that
// is probably a mistake, is a warning.
#include "router/config/cross_checks.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>
#include <variant>

#include "router/config/keys/address_checks.hpp"
#include "router/config/text_checks.hpp"
#include "router/config/vrf_plan.hpp"
#include "router/routes/source/route_source.hpp"

namespace fingerpost::router {
namespace {

std::string port_key(std::size_t index, std::string_view name) {
    return fmt::format("port.{}.{}", index, name);
}

// Values that must be unique among ports, with the first port that has each of them.
class taken_values {
  public:
    taken_values(std::string name, report& findings) : name_(std::move(name)), found_(findings) {}

    bool take(const std::string& value, std::size_t index, std::string_view key) {
        const auto [first, fresh] = first_.emplace(value, index);
        if (fresh || value.empty())
            return true;
        const place before = found_.place_of(port_key(first->second, key));
        found_.error(found_.place_of(port_key(index, key)),
                     fmt::format("{} {} is already used by the port in line {}", name_, value, before.line));
        return false;
    }

  private:
    std::string name_;
    report& found_;
    std::map<std::string, std::size_t> first_;
};

// The kernel device of a VLAN is named TAP.ID.
void check_vlan_names(const port_config& port, std::size_t index, taken_values& taps, report& findings) {
    for (const unsigned id : std::set<unsigned>(port.vlans.begin(), port.vlans.end()))
        if (const std::string name = fmt::format("{}.{}", port.tap, id); name.size() <= longest_interface)
            taps.take(name, index, "vlans");
        else
            findings.error(findings.place_of(port_key(index, "vlans")),
                           fmt::format("port.vlans has {}: its interface name {} would be longer than {} "
                                       "characters; choose a shorter port.tap",
                                       id, name, longest_interface));
}

// Two devices on one interface would both forward every packet. The TAP must also differ from the interface
// that the device reads from.
void check_interface(const config& settings, std::size_t index, const port_config& port, std::string_view key,
                     std::map<std::string, std::size_t>& interfaces, report& findings) {
    const place where = findings.place_of(port_key(index, key));
    const std::string below = interface_below(port);
    if (below.empty()) {
        for (const std::string_view driver : {"net_af_packet", "net_af_xdp"})
            if (port.device.starts_with(driver))
                findings.error(where,
                               fmt::format("port.{} {} does not name its interface; write {},iface=INTERFACE",
                                           key, port.device, bare_device(port.device)));
        return;
    }
    if (const auto [first, fresh] = interfaces.emplace(below, index); !fresh)
        findings.error(
            where,
            fmt::format("port.{} takes the packets of interface {}, which the port in line {} takes already",
                        key, below, findings.place_of(port_key(first->second, "device")).line));
    if (settings.kernel.network_namespace.empty() && below == port.tap)
        findings.error(where, fmt::format("port.{} takes the packets of interface {}, but the TAP has the "
                                          "same name; rename the port or set port.tap",
                                          key, below));
}

// A bonding device needs members, and other devices must not have any.
void check_members(const port_config& port, std::size_t index, report& findings) {
    // Invalid members were reported already and are not in the list.
    const bool is_reported = findings.has(port_key(index, "members")) && findings.has_errors();
    if (port.is_bond() && port.members.empty() && !is_reported)
        findings.error(findings.place_of(port_key(index, "device")),
                       fmt::format("port.device is {}, but port.members does not list its members",
                                   bare_device(port.device)));
    else if (!port.is_bond() && !port.members.empty())
        findings.error(findings.place_of(port_key(index, "members")),
                       "port.members is only allowed for a device like net_bonding0");
}

void check_ports(config& settings, report& findings) {
    if (settings.ports.empty() && !findings.has("port"))
        findings.error({}, "there is no port; add a [[port]] section");
    taken_values names("port.name", findings);
    taken_values devices("port.device", findings);
    taken_values taps("port.tap", findings);
    std::map<std::string, std::size_t> interfaces;
    constexpr unsigned least_for_ipv6 = 1'280;
    for (std::size_t i = 0; i < settings.ports.size(); ++i) {
        port_config& port = settings.ports[i];
        if (port.tap.empty())
            port.tap = port.name;
        devices.take(bare_device(port.device), i, "device");
        // For two ports with the same name, report only the names.
        if (names.take(port.name, i, "name"))
            taps.take(port.tap, i, "tap");
        if (port.mtu < least_for_ipv6)
            findings.warning(findings.place_of(port_key(i, "mtu")),
                             fmt::format("port.mtu is {}; IPv6 needs {} or more", port.mtu, least_for_ipv6));
        check_vlan_names(port, i, taps, findings);
        check_members(port, i, findings);
        if (takes_by_af_xdp(port) && port.mtu > longest_by_af_xdp)
            findings.error(
                findings.place_of(port_key(i, "mtu")),
                fmt::format("port.mtu is {}; allowed by af_xdp: up to {}", port.mtu, longest_by_af_xdp));
        for (const port_config& member : devices_of(port)) {
            const std::string_view key = port.is_bond() ? "members" : "device";
            if (port.is_bond())
                devices.take(bare_device(member.device), i, key);
            check_interface(settings, i, member, key, interfaces, findings);
            if (!settings.memory.huge && !settings.memory.huge_if_there && !member.device.empty() &&
                !member.is_virtual())
                findings.warning(
                    findings.place_of("memory.huge"),
                    fmt::format("memory.huge is false; {} may not work without huge pages", member.device));
        }
    }
}

any_prefix network_of(const port_address& address) {
    return std::visit(
        [&](auto value) { return any_prefix(prefix<decltype(value)>::make(value, address.length)); },
        address.address);
}

// Every port is on every link-local network.
bool is_link_local(const port_address& address) {
    const auto* const six = std::get_if<ipv6_address>(&address.address);
    return six != nullptr && six->value >> 118 == 0xfe80 >> 6;
}

// An address must be unique within a VRF. A network on two interfaces of a VRF is probably a mistake.
void check_addresses(const config& settings, report& findings) {
    const vrf_list vrfs = vrfs_of(settings);
    std::map<std::pair<vrf_number, any_address>, place> addresses;
    std::map<std::pair<vrf_number, any_prefix>, std::pair<std::string, place>> networks;
    for (std::size_t i = 0; i < settings.ports.size(); ++i) {
        const port_config& port = settings.ports[i];
        for (std::size_t k = 0; k < port.addresses.size(); ++k) {
            const port_address& address = port.addresses[k];
            const place where = findings.place_of(fmt::format("port.{}.addresses.{}", i, k));
            if (address.vlan != 0 &&
                std::find(port.vlans.begin(), port.vlans.end(), address.vlan) == port.vlans.end())
                findings.error(where, fmt::format("port.addresses has {}, but port.vlans lacks {}",
                                                  to_text(address), address.vlan));
            if (is_link_local(address))
                continue;
            const std::string interface = fmt::format("{}.{}", i, address.vlan);
            const vrf_number vrf =
                vrfs.of(static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(address.vlan));
            if (const auto [first, fresh] = addresses.emplace(std::pair(vrf, address.address), where); !fresh)
                findings.error(where, fmt::format("port.addresses has {}, which line {} has already",
                                                  to_text(address), first->second.line));
            else if (const auto [of, is_new] =
                         networks.emplace(std::pair(vrf, network_of(address)), std::pair(interface, where));
                     !is_new && of->second.first != interface)
                findings.warning(
                    where, fmt::format("port.addresses has {}, in the same network as another interface in "
                                       "line {}; only one of them will have the network's route",
                                       to_text(address), of->second.second.line));
        }
    }
}

unsigned queues_of(const config& settings) {
    return std::accumulate(settings.ports.begin(), settings.ports.end(), 0U,
                           [](unsigned sum, const port_config& port) { return sum + port.queues; });
}

void check_counts(const config& settings, report& findings) {
    const threads_config& threads = settings.threads;
    const auto refuse = [&](const char* key, const char* why) {
        if (const std::string path = std::string("threads.") + key; findings.has(path))
            findings.error(findings.place_of(path),
                           fmt::format("{} is not allowed in mode {}: {}", path, name_of(threads.mode), why));
    };
    if (threads.mode == run_mode::complete)
        refuse("lookup", "the receive threads (threads.receive) also look up and send packets");
    if (threads.mode == run_mode::complete)
        refuse("send", "the receive threads (threads.receive) also look up and send packets");
    if (threads.mode == run_mode::fused)
        refuse("send", "the threads of threads.lookup also send");
    if (settings.ports.empty())
        return;
    if (const unsigned queues = queues_of(settings); threads.receive > queues)
        findings.error(findings.place_of("threads.receive"),
                       fmt::format("threads.receive is {}, but all ports together have {} queue{}; raise "
                                   "port.queues or use fewer threads",
                                   threads.receive, queues, queues == 1 ? "" : "s"));
    if (threads.mode == run_mode::pipeline && threads.send > settings.ports.size())
        findings.error(
            findings.place_of("threads.send"),
            fmt::format("threads.send is {}, but there are {} ports, and only one thread sends on each",
                        threads.send, settings.ports.size()));
}

// Checks explicit lists of cores: one core for each thread, and none for stages that the mode does not have.
void check_pinning(const config& settings, report& findings) {
    const threads_config& threads = settings.threads;
    const placement_config& by_hand = threads.placement;
    if (by_hand.automatic)
        return;
    std::set<unsigned> used;
    const auto check = [&](const char* name, const std::vector<unsigned>& cores, std::size_t least,
                           std::size_t most) {
        const std::string key = std::string("threads.placement.") + name;
        if (cores.size() < least || cores.size() > most)
            findings.error(findings.place_of(key),
                           fmt::format("{} has length {}; allowed: {}{}, because each thread has one core",
                                       key, cores.size(), least < most ? "up to " : "", most));
        for (const unsigned core : cores)
            if (!used.insert(core).second && !by_hand.share)
                findings.error(findings.place_of(key),
                               fmt::format("{}: core {} has another thread already; allowed with "
                                           "threads.placement.share = true",
                                           key, core));
    };
    const std::size_t lookups = threads.mode == run_mode::complete ? 0 : threads.lookup;
    const std::size_t sends = threads.mode == run_mode::pipeline ? threads.send : 0;
    check("receive", by_hand.receive, threads.receive, threads.receive);
    check("lookup", by_hand.lookup, lookups, lookups);
    check("send", by_hand.send, sends, sends);
    check("host", by_hand.host, 0, 1);
    check("control", by_hand.control, 0, 1);
}

void check_feed(const config& settings, report& findings) {
    for (const route_feed feed : route_feeds()) {
        const route_source& source = source_of(feed);
        const std::string name(source.name);
        if (feed != settings.routes.feed && source.read != nullptr && findings.has(name))
            findings.warning(findings.place_of(name),
                             fmt::format("[{}] is not used, because routes is not \"{}\"", name, name));
        else if (feed == settings.routes.feed && source.check != nullptr)
            source.check(settings.sources.of(feed), findings);
    }
}

void check_operation(const config& settings, report& findings) {
    const telemetry_config& telemetry = settings.telemetry;
    if (!telemetry.prometheus.empty() && !telemetry.remote &&
        !is_loopback(endpoint_of(telemetry.prometheus).address))
        findings.error(findings.place_of("telemetry.prometheus"),
                       fmt::format("telemetry.prometheus is {}, which other machines can reach; allowed with "
                                   "telemetry.remote = true",
                                   telemetry.prometheus));
    if (settings.privileges.user.empty() && !settings.privileges.group.empty())
        findings.error(findings.place_of("privileges.group"), "privileges.group needs privileges.user");
}

} // namespace

void cross_check(config& settings, report& findings) {
    check_ports(settings, findings);
    check_vrfs(settings, findings);
    check_addresses(settings, findings);
    check_counts(settings, findings);
    check_pinning(settings, findings);
    check_feed(settings, findings);
    check_operation(settings, findings);
}

} // namespace fingerpost::router
