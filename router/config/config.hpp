// The router's configuration: a TOML file as plain structs. docs/use/router-configuration.md has a table of
// all keys; router/samples has example files.
//
// Defaults are given only here. What depends on the machine (cores, queues of a device) is checked later, by
// placement.hpp and wiring.hpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/net/any.hpp"
#include "router/config/keys/key_facts.hpp"
#include "router/config/keys/report.hpp"
#include "router/config/vrf_config.hpp"
#include "router/routes/route_sources.hpp"

namespace fingerpost::router {

struct route_config {
    route_feed feed = route_feeds().front();
    std::string
        path; // of a source that is chosen by one; relative paths are relative to the configuration file
};

// An address for the kernel's interface of a port.
struct port_address {
    any_address address{};
    std::uint8_t length = 0; // of the network's prefix
    unsigned vlan = 0;       // 0: without a tag

    friend bool operator==(const port_address&, const port_address&) = default;
};

struct port_config {
    std::string name;
    std::string device; // in DPDK's form: a PCI address, or a virtual device with its arguments
    std::vector<std::string> members{}; // devices that a bonding device joins, in the same form
    unsigned queues = 1;
    unsigned descriptors = 1'024;
    unsigned mtu = 1'500;
    std::vector<unsigned> vlans;
    std::vector<port_address> addresses{};
    bool promiscuous = false;
    std::string tap; // name of the kernel's interface; after reading it is the port's name unless the file
                     // gives another

    bool is_virtual() const noexcept { return device.starts_with("net_"); }
    bool is_bond() const noexcept { return device.starts_with("net_bonding"); }
    bool is_af_packet() const noexcept { return device.starts_with("net_af_packet"); }
    bool is_af_xdp() const noexcept { return device.starts_with("net_af_xdp"); }
};

// The longest packet that a port by af_xdp takes, as the kernel writes each into a frame of 4,096 bytes, and
// what it needs there besides: its own 256 bytes, an Ethernet header and two tags.
inline constexpr unsigned beside_in_xdp_frame = 256 + 22;
inline constexpr unsigned longest_by_af_xdp = 3'498;

// The devices that a port takes packets from: its own, or for a bonding device each of its members, as ports
// that are otherwise like it.
std::vector<port_config> devices_of(const port_config& port);
// Whether any of these is one of af_xdp.
bool takes_by_af_xdp(const port_config& port);

// pipeline: each stage has threads of its own. fused: the same threads look up and send. complete: one kind
// of thread does everything.
enum class run_mode : std::uint8_t { pipeline, fused, complete };
// What a thread does when it finds no work: poll again at once, or sleep for 50 us.
enum class idle_mode : std::uint8_t { poll, sleep };

struct placement_config {
    bool automatic = true;
    bool lookups_apart = false;    // if automatic: in caches of their own
    std::vector<unsigned> receive; // cores by thread, if not automatic
    std::vector<unsigned> lookup;
    std::vector<unsigned> send;
    std::vector<unsigned> host;    // one core or none; none: wherever there is room
    std::vector<unsigned> control; // the same
    bool share = false;            // whether a core may be in these lists several times
};

struct threads_config {
    run_mode mode = run_mode::complete;
    unsigned receive = 1;
    unsigned lookup = 1; // for pipeline and fused
    unsigned send = 1;   // for pipeline
    placement_config placement{};
    unsigned burst = 32;
    unsigned ring = 1'024;
    idle_mode idle = idle_mode::poll;
};

struct kernel_config {
    std::string network_namespace; // empty: the one in which the router was started
    unsigned host_ring = 1'024;
    unsigned neighbour_queue = 64; // packets held for one unresolved neighbour
    unsigned icmp_rate = 1'000;    // ICMP errors a second; 0: none
    unsigned icmp_burst = 50;
    unsigned port_rate = 50'000; // packets of each port a second; 0: all
    unsigned port_burst = 5'000;
};

struct memory_config {
    bool huge = false;
    // Huge pages are used if the machine has them free; `huge` is what it comes to, see start_checks.hpp.
    bool huge_if_there = true;
    unsigned megabytes = 0; // 0: DPDK takes what it needs
    unsigned mbufs = 0;     // 0: as many as queues, rings and bursts can hold
};

// The address where metrics are served; empty: none.
struct telemetry_config {
    std::string prometheus = "127.0.0.1:9620";
    bool remote = false; // allows addresses other than loopback
    unsigned time_one_in = 64;
    unsigned sample_one_in = 1024;
};

struct privileges_config {
    std::string user; // empty: keeps the user that started it
    std::string group;
};

struct config {
    std::string scheme; // empty: the default one
    route_config routes{};
    source_settings sources{};
    std::vector<port_config> ports;
    std::vector<vrf_config> vrfs; // besides the default one
    threads_config threads{};
    kernel_config kernel{};
    memory_config memory{};
    telemetry_config telemetry{};
    privileges_config privileges{};
};

std::string_view name_of(run_mode mode) noexcept;

// In the configuration's form: `192.0.2.1/24`, `2001:db8::1/64@5` on VLAN 5.
std::string to_text(const port_address& one);

// An address and a port; `[::1]:9620` for IPv6. Only for a text that parse_config() has accepted.
struct endpoint {
    std::string address;
    std::uint16_t port = 0;
};
endpoint endpoint_of(std::string_view text);

// `settings` must not be used if the report has errors.
struct parsed_config {
    config settings{};
    report found;
};

// `schemes` are the allowed values of `scheme`. `file` is the name of the text in messages. A fault of TOML's
// syntax ends the reading; all other faults are reported together.
parsed_config parse_config(std::string_view text, const std::string& file,
                           std::span<const std::string> schemes);

// Reads the file first; if it cannot be read, that is an error of the report.
parsed_config load_config(const std::string& file, std::span<const std::string> schemes);

// What is known of each key without a file: for the documentation and its test.
std::vector<key_facts> known_keys();

} // namespace fingerpost::router
