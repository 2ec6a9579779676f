// Reads VRFs and checks them against the ports.
#include "router/config/vrf_plan.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fingerpost/base/near_name.hpp"
#include "router/config/keys/kinds.hpp"
#include "router/config/text_checks.hpp"

namespace fingerpost::router {
namespace {

constexpr number_bounds table_number{0, 4'294'967'295};
// Each VRF has its own FIBs, even without routes, so more would make the start slow.
constexpr std::size_t most_vrfs = 255;

std::string check_path(const std::string& text) {
    return text.find('\0') == std::string::npos ? "" : "this is not a valid file name";
}

expected<vrf_port, std::string> parse_vrf_port(const std::string& text) {
    vrf_port parsed{text, 0};
    auto rest = take_vlan(text, parsed.vlan);
    if (!rest)
        return unexpected{std::move(rest.error())};
    parsed.port = *rest;
    if (std::string fault = check_interface_name(parsed.port); !fault.empty())
        return unexpected{std::move(fault)};
    return parsed;
}

std::optional<std::size_t> index_of(const config& settings, const std::string& port) {
    const auto match = std::find_if(settings.ports.begin(), settings.ports.end(),
                                    [&](const port_config& candidate) { return candidate.name == port; });
    if (match == settings.ports.end())
        return std::nullopt;
    return static_cast<std::size_t>(match - settings.ports.begin());
}

std::string fault_of_port(const config& settings, const vrf_port& member) {
    const auto index = index_of(settings, member.port);
    if (!index) {
        std::vector<std::string> names;
        for (const port_config& port : settings.ports)
            names.push_back(port.name);
        const std::string near = near_name(member.port, names);
        return fmt::format("there is no port {}{}", member.port,
                           near.empty() ? "" : fmt::format("; did you mean {}?", near));
    }
    const std::vector<unsigned>& vlans = settings.ports[*index].vlans;
    if (member.vlan != 0 && std::find(vlans.begin(), vlans.end(), member.vlan) == vlans.end())
        return fmt::format("port.vlans of {} lacks {}", member.port, member.vlan);
    return "";
}

std::string vrf_key(std::size_t index, std::string_view name) {
    return fmt::format("vrf.{}.{}", index, name);
}

std::string fault_of_table(std::uint32_t table) {
    constexpr std::array<std::pair<std::uint32_t, std::string_view>, 3> own{
        {{253, "default"}, {main_table, "main"}, {255, "local"}}};
    for (const auto& [number, name] : own)
        if (table == number)
            return fmt::format("is the kernel's table {}{}", name,
                               table == main_table ? ", which belongs to the default VRF" : "");
    return "";
}

// Names, tables and ports that must be unique among VRFs, with the place of the first one.
struct taken_by_vrfs {
    std::map<std::string, place> names;
    std::map<std::uint32_t, place> tables;
    std::map<std::string, place> ports;
};

void check_ports_of(const config& settings, std::size_t index, taken_by_vrfs& used, report& findings) {
    const vrf_config& vrf = settings.vrfs[index];
    for (std::size_t i = 0; i < vrf.ports.size(); ++i) {
        const std::string text = to_text(vrf.ports[i]);
        const place where = findings.place_of(fmt::format("vrf.{}.ports.{}", index, i));
        if (const std::string fault = fault_of_port(settings, vrf.ports[i]); !fault.empty())
            findings.error(where, fmt::format("vrf.ports has {}, but {}", text, fault));
        else if (const auto [first, fresh] = used.ports.emplace(text, where); !fresh)
            findings.error(
                where, fmt::format("vrf.ports has {}, which line {} has already", text, first->second.line));
    }
}

void check_source_of(const config& settings, std::size_t index, report& findings) {
    const vrf_config& vrf = settings.vrfs[index];
    const route_source& source = source_of(settings.routes.feed);
    if (source.is_path)
        return;
    if (!vrf.routes.empty())
        findings.warning(findings.place_of(vrf_key(index, "routes")),
                         fmt::format("vrf.routes is not used, because routes is \"{}\"", source.name));
    if (vrf.table == 0)
        findings.warning(
            findings.place_of(vrf_key(index, "name")),
            fmt::format("the VRF {} has no vrf.table, so it only has the routes of its addresses", vrf.name));
}

} // namespace

std::string to_text(const vrf_port& member) {
    return member.vlan == 0 ? member.port : fmt::format("{}@{}", member.port, member.vlan);
}

key_set<vrf_config> vrf_keys() {
    return {
        {"name", text(&vrf_config::name, "1 to 15 letters, digits and ._-", check_interface_name),
         "name of the VRF in metrics and commands", true},
        {"table", number(&vrf_config::table, table_number),
         "number of its table in the kernel and in FPM messages; 0: none"},
        {"ports",
         texts<vrf_config, vrf_port>(&vrf_config::ports, "a list of PORT, or PORT@VLAN", parse_vrf_port),
         "its ports, each with all VLANs that no VRF names; wan@5 is VLAN 5 of port wan"},
        {"routes", text(&vrf_config::routes, "the path of a file", check_path),
         "file with its routes, if `routes` is also the path of a file"},
    };
}

void check_vrfs(const config& settings, report& findings) {
    taken_by_vrfs used;
    used.names.emplace(vrf_list()[default_vrf].name, place{});
    if (settings.vrfs.size() > most_vrfs)
        findings.error(findings.place_of("vrf"),
                       fmt::format("there are {} VRFs; allowed: up to {}", settings.vrfs.size(), most_vrfs));
    for (std::size_t i = 0; i < settings.vrfs.size(); ++i) {
        const vrf_config& vrf = settings.vrfs[i];
        const place name = findings.place_of(vrf_key(i, "name"));
        if (const auto [first, fresh] = used.names.emplace(vrf.name, name); !fresh && !vrf.name.empty())
            findings.error(
                name, first->second.line == 0
                          ? fmt::format("vrf.name is {}, which is reserved for the VRF of all other ports",
                                        vrf.name)
                          : fmt::format("vrf.name {} is already used by the VRF in line {}", vrf.name,
                                        first->second.line));
        const place table = findings.place_of(vrf_key(i, "table"));
        if (const std::string fault = fault_of_table(vrf.table); !fault.empty())
            findings.error(table, fmt::format("vrf.table {} {}", vrf.table, fault));
        else if (const auto [first, fresh] = used.tables.emplace(vrf.table, table); !fresh && vrf.table != 0)
            findings.error(table, fmt::format("vrf.table {} is already used by the VRF in line {}", vrf.table,
                                              first->second.line));
        check_ports_of(settings, i, used, findings);
        check_source_of(settings, i, findings);
    }
}

vrf_list vrfs_of(const config& settings) {
    vrf_list vrfs;
    for (const vrf_config& vrf : settings.vrfs) {
        const vrf_number number = vrfs.add({vrf.name, vrf.table});
        for (const vrf_port& member : vrf.ports)
            if (const auto port = index_of(settings, member.port))
                vrfs.assign(static_cast<std::uint16_t>(*port),
                            member.vlan == 0 ? std::nullopt
                                             : std::optional(static_cast<std::uint16_t>(member.vlan)),
                            number);
    }
    return vrfs;
}

std::vector<vrf_file> vrf_files_of(const config& settings) {
    std::vector<vrf_file> files;
    for (std::size_t i = 0; i < settings.vrfs.size(); ++i)
        if (!settings.vrfs[i].routes.empty())
            files.push_back({static_cast<vrf_number>(i + 1), settings.vrfs[i].routes});
    return files;
}

} // namespace fingerpost::router
