// The VRFs of a configuration: their keys, checks, and the list that the router uses.
#pragma once

#include <string>
#include <vector>

#include "router/config/config.hpp"
#include "router/config/keys/config_key.hpp"
#include "router/routes/sink/vrf_list.hpp"
#include "router/routes/source/route_source.hpp"

namespace fingerpost::router {

key_set<vrf_config> vrf_keys();

void check_vrfs(const config& settings, report& findings);

// Formats a member as in the configuration: `lan`, or `lan@5` for VLAN 5 on it.
std::string to_text(const vrf_port& member);

// Ignores names of ports that do not exist.
vrf_list vrfs_of(const config& settings);
std::vector<vrf_file> vrf_files_of(const config& settings);

} // namespace fingerpost::router
