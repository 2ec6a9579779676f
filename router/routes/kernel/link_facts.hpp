// Properties of a kernel interface that matter before a port opens it.
#pragma once

#include <optional>
#include <string>

namespace fingerpost::router {

struct link_facts {
    std::string kind;        // `tun` for TAPs; empty for most network cards
    bool is_tap = false;     // kind tun: for frames, not for IP packets
    bool has_queues = false; // kind tun: several files may be open for it
    unsigned files = 0;      // kind tun: number of files that programs have open
    unsigned longest = 0;    // the longest MTU; 0: unknown
    bool has_xdp = false;    // an XDP program receives its packets
};

// For the network namespace of the calling thread. Returns nothing if there is no interface with this name.
std::optional<link_facts> find_link(const std::string& name);

} // namespace fingerpost::router
