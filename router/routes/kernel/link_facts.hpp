// What the kernel says about one interface that a port needs, before it is opened.
#pragma once

#include <optional>
#include <string>

namespace fingerpost::router {

struct link_facts {
    std::string kind;        // `tun` for TAPs; empty for most network cards
    bool is_tap = false;     // of kind tun: for frames, not for IP packets
    bool has_queues = false; // of kind tun: several files may be open for it
    unsigned files = 0;      // of kind tun: open files of programs
    unsigned longest = 0;    // the longest MTU; 0: not known
    bool has_xdp = false;    // an XDP program takes its packets
};

// In the network namespace of the calling thread; nothing if there is no interface of this name.
std::optional<link_facts> find_link(const std::string& name);

} // namespace fingerpost::router
