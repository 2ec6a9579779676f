// The [[vrf]] sections of the configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fingerpost::router {

// Packets of a port: those of one VLAN, or untagged ones and those of all VLANs that no VRF names.
struct vrf_port {
    std::string port;
    unsigned vlan = 0; // 0: all

    friend bool operator==(const vrf_port&, const vrf_port&) = default;
};

struct vrf_config {
    std::string name;
    std::uint32_t table = 0; // 0: none
    std::vector<vrf_port> ports;
    std::string routes; // file with its routes, if routes come from files; relative like routes.path
};

} // namespace fingerpost::router
