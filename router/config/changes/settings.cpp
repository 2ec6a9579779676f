// Compares the text of each key's value, so that no key can be forgotten.
#include "router/config/changes/settings.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "router/config/config_keys.hpp"
#include "router/routes/source/route_source.hpp"

namespace fingerpost::router {
namespace {

constexpr std::array keys_at_once{
    std::string_view("scheme"),           std::string_view("routes"),
    std::string_view("kernel.host_ring"), std::string_view("kernel.neighbour_queue"),
    std::string_view("kernel.icmp_rate"), std::string_view("kernel.icmp_burst"),
    std::string_view("kernel.port_rate"), std::string_view("kernel.port_burst")};
constexpr std::string_view of_threads = "threads.";
constexpr std::array port_keys_at_once{std::string_view("mtu"), std::string_view("addresses")};
constexpr std::string_view of_port = "port.";

bool is_in(const auto& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

// The key without its `port.` prefix; empty for keys of other sections.
std::string_view after_port(std::string_view key) {
    return key.starts_with(of_port) ? key.substr(of_port.size()) : std::string_view();
}

const port_config* find_port(const config& in, std::string_view name) {
    const auto at = std::find_if(in.ports.begin(), in.ports.end(),
                                 [&](const port_config& port) { return port.name == name; });
    return at == in.ports.end() ? nullptr : &*at;
}

std::map<std::string, std::string> by_key(const config& from) {
    std::map<std::string, std::string> values;
    for (setting& entry : settings_of(from))
        values.emplace(std::move(entry.key), std::move(entry.value));
    return values;
}

// True for keys of a port that exists in only one of the two configurations. Such a port is reported as a
// single change.
bool is_of_port_without_twin(std::string_view key, const config& of, const config& other) {
    const std::string_view rest = after_port(key);
    if (rest.empty())
        return false;
    const std::string_view name = rest.substr(0, rest.rfind('.'));
    return find_port(of, name) != nullptr && find_port(other, name) == nullptr;
}

} // namespace

std::vector<setting> settings_of(const config& from) {
    std::vector<setting> settings;
    keys_of_config({}).list_values("", from, settings);
    return settings;
}

std::string setting_change::to_text() const {
    if (before.empty())
        return fmt::format("{}: new", key);
    return after.empty() ? fmt::format("{}: gone", key) : fmt::format("{}: {}, now {}", key, before, after);
}

bool changes_at_once(std::string_view key) {
    if (const std::string_view rest = after_port(key); !rest.empty()) {
        const std::size_t dot = rest.rfind('.');
        return dot != std::string_view::npos && is_in(port_keys_at_once, rest.substr(dot + 1));
    }
    if (is_in(keys_at_once, key) || key.starts_with(of_threads))
        return true;
    for (const route_feed feed : route_feeds())
        if (key.starts_with(std::string(source_of(feed).name) + "."))
            return true;
    return false;
}

std::vector<setting_change> changes_between(const config& now, const config& target) {
    std::vector<setting_change> changes;
    const std::map<std::string, std::string> before = by_key(now);
    const std::map<std::string, std::string> after = by_key(target);
    for (const port_config& port : target.ports)
        if (find_port(now, port.name) == nullptr)
            changes.push_back({"port." + port.name, "", port.device, changes_at_once("port." + port.name)});
    for (const port_config& port : now.ports)
        if (find_port(target, port.name) == nullptr)
            changes.push_back({"port." + port.name, port.device, "", changes_at_once("port." + port.name)});
    // The lists of cores do not exist while the placement is automatic, and "auto" does not exist in a
    // section with lists.
    static const std::string nothing = "none";
    for (const auto& [key, value] : after) {
        const auto old = before.find(key);
        const std::string& was = old == before.end() ? nothing : old->second;
        if (was != value && !is_of_port_without_twin(key, target, now))
            changes.push_back({key, was, value, changes_at_once(key)});
    }
    for (const auto& [key, value] : before)
        if (!after.contains(key) && !is_of_port_without_twin(key, now, target))
            changes.push_back({key, value, nothing, changes_at_once(key)});
    return changes;
}

bool has_other_threads(const config& now, const config& target) {
    const auto changes = changes_between(now, target);
    return std::any_of(changes.begin(), changes.end(), [](const setting_change& change) {
        return change.at_once && (change.key.starts_with(of_threads) || change.key.starts_with("kernel."));
    });
}

config with_changes_at_once(const config& now, const config& target) {
    config mixed = now;
    mixed.scheme = target.scheme;
    mixed.routes = target.routes;
    mixed.sources = target.sources;
    mixed.threads = target.threads;
    mixed.kernel = target.kernel;
    mixed.kernel.network_namespace = now.kernel.network_namespace;
    for (port_config& port : mixed.ports)
        if (const port_config* const next = find_port(target, port.name)) {
            port.mtu = next->mtu;
            port.addresses = next->addresses;
        }
    return mixed;
}

} // namespace fingerpost::router
