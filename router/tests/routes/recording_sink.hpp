// Sinks that record everything that they receive, for the tests of the sources.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fingerpost/net/text.hpp"
#include "router/routes/sink/interface_sink.hpp"
#include "router/routes/sink/route_sink.hpp"

namespace fingerpost::router::testing {

inline destination forward(std::vector<path> paths) {
    return {action::forward, std::move(paths)};
}

class recorded_routes final : public route_sink {
  public:
    std::map<any_prefix, route_target> routes; // of the default VRF
    // Routes of the other VRFs; refreshes do not apply to these.
    std::map<vrf_number, std::map<any_prefix, route_target>> in_vrfs;
    std::map<std::uint32_t, destination> groups;
    std::set<any_prefix> left_stale;
    stale_routes former; // without the number of remaining ones
    std::uint64_t announced = 0;
    std::uint64_t commits = 0;
    std::uint64_t refreshes = 0;
    std::uint64_t sweeps = 0;
    std::uint64_t uncommitted = 0; // changes since the last commit
    std::uint64_t most_in_commit = 0;

    using route_sink::announce;
    using route_sink::withdraw;
    void announce(vrf_number vrf, const any_prefix& where, const route_target& to) noexcept override {
        table_of(vrf).insert_or_assign(where, to);
        if (vrf == default_vrf)
            left_stale.erase(where);
        ++announced;
        ++uncommitted;
    }
    void withdraw(vrf_number vrf, const any_prefix& where) noexcept override {
        table_of(vrf).erase(where);
        if (vrf == default_vrf)
            left_stale.erase(where);
        ++uncommitted;
    }
    void set_group(group_id group, const destination& to) noexcept override {
        groups.insert_or_assign(group.id, to);
        ++uncommitted;
    }
    void remove_group(group_id group) noexcept override {
        groups.erase(group.id);
        ++uncommitted;
    }
    void begin_refresh() noexcept override {
        former = {};
        for (const auto& [where, to] : routes) {
            left_stale.insert(where);
            ++count_of(former, where).former;
        }
        ++refreshes;
    }
    void sweep() noexcept override {
        for (const any_prefix& where : std::exchange(left_stale, {}))
            routes.erase(where);
        former = {};
        ++sweeps;
        ++uncommitted;
    }
    stale_routes stale() const noexcept override {
        stale_routes now = former;
        for (const any_prefix& where : left_stale)
            ++count_of(now, where).left;
        return now;
    }
    void commit() noexcept override {
        most_in_commit = std::max(most_in_commit, uncommitted);
        uncommitted = 0;
        ++commits;
    }

    static stale_count& count_of(stale_routes& in, const any_prefix& where) {
        return std::holds_alternative<ipv4_prefix>(where) ? in.ipv4 : in.ipv6;
    }

    std::map<any_prefix, route_target>& table_of(vrf_number vrf) {
        return vrf == default_vrf ? routes : in_vrfs[vrf];
    }

    // The destination of packets on a route, through its group; empty without a route.
    std::optional<destination> resolved(const any_prefix& where, vrf_number vrf = default_vrf) const {
        const auto other = in_vrfs.find(vrf);
        if (vrf != default_vrf && other == in_vrfs.end())
            return std::nullopt;
        const auto& table = vrf == default_vrf ? routes : other->second;
        const auto found = table.find(where);
        if (found == table.end())
            return std::nullopt;
        if (const auto* const own = std::get_if<destination>(&found->second))
            return *own;
        const auto group = groups.find(std::get<group_id>(found->second).id);
        return group == groups.end() ? destination{action::unreachable, {}} : group->second;
    }
};

class recorded_interfaces final : public interface_sink {
  public:
    using neighbour_key = std::pair<std::uint32_t, any_address>;
    std::map<std::uint32_t, link_state> links;
    std::map<std::string, interface_address> addresses;
    std::map<neighbour_key, neighbour> neighbours;
    std::uint64_t commits = 0;
    std::uint64_t refreshes = 0;

    void set_link(const link_state& link) noexcept override {
        links.insert_or_assign(link.index, link);
        stale_links_.erase(link.index);
    }
    void remove_link(std::uint32_t index) noexcept override { links.erase(index); }
    void set_address(const interface_address& one) noexcept override {
        addresses.insert_or_assign(key_of(one), one);
        stale_addresses_.erase(key_of(one));
    }
    void remove_address(const interface_address& one) noexcept override { addresses.erase(key_of(one)); }
    void set_neighbour(const neighbour& one) noexcept override {
        neighbours.insert_or_assign({one.interface, one.address}, one);
        stale_neighbours_.erase({one.interface, one.address});
    }
    void remove_neighbour(std::uint32_t interface, const any_address& address) noexcept override {
        neighbours.erase({interface, address});
    }
    void begin_refresh() noexcept override {
        for (const auto& [index, link] : links)
            stale_links_.insert(index);
        for (const auto& [key, one] : addresses)
            stale_addresses_.insert(key);
        for (const auto& [key, one] : neighbours)
            stale_neighbours_.insert(key);
        ++refreshes;
    }
    void sweep() noexcept override {
        for (const std::uint32_t index : std::exchange(stale_links_, {}))
            links.erase(index);
        for (const std::string& key : std::exchange(stale_addresses_, {}))
            addresses.erase(key);
        for (const neighbour_key& key : std::exchange(stale_neighbours_, {}))
            neighbours.erase(key);
    }
    void commit() noexcept override { ++commits; }

    const link_state* link(const std::string& name) const {
        for (const auto& [index, one] : links)
            if (one.name == name)
                return &one;
        return nullptr;
    }

    static std::string key_of(const interface_address& one) {
        return std::to_string(one.interface) + " " + to_string(one.address) + "/" +
               std::to_string(one.length);
    }

  private:
    std::set<std::uint32_t> stale_links_;
    std::set<std::string> stale_addresses_;
    std::set<neighbour_key> stale_neighbours_;
};

// From text, for tests with addresses in their usual form.
inline any_address address(const std::string& text) {
    return *parse_address(text);
}
inline any_prefix network(const std::string& text) {
    return *parse_prefix(text);
}
inline path by(const std::string& gateway, std::uint32_t interface = 0, std::uint16_t weight = 1) {
    return {gateway.empty() ? std::nullopt : std::optional(address(gateway)), interface, weight};
}

} // namespace fingerpost::router::testing
