// The sections [[vrf]] of the configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fingerpost::router {

// Packets of a port: of one VLAN, or of all that are named nowhere, and those without a tag.
struct vrf_port {
    std::string port;
    unsigned vlan = 0; // 0: all

    friend bool operator==(const vrf_port&, const vrf_port&) = default;
};

struct vrf_config {
    std::string name;
    std::uint32_t table = 0; // 0: none
    std::vector<vrf_port> ports;
    std::string routes; // the file with its routes, if routes come from files; relative like routes.path
};

} // namespace fingerpost::router
