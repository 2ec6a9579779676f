// The router's configuration: a TOML file as plain structs. docs/use/router-configuration.md has a table of
// all keys; router/samples has example files.
//
// Defaults are defined only here. Settings that depend on the machine (cores, queues of a device) are checked
// later, in placement.hpp and wiring.hpp.
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
    std::string path; // path of the file if routes are read from one; relative to the configuration file
};

// An address for the kernel interface of a port.
struct port_address {
    any_address address{};
    std::uint8_t length = 0; // prefix length of its network
    unsigned vlan = 0;       // 0: without a tag

    friend bool operator==(const port_address&, const port_address&) = default;
};

struct port_config {
    std::string name;
    std::string device; // in DPDK's form: a PCI address, or a virtual device with its arguments
    std::vector<std::string> members{}; // member devices of a bonding device, in the same form
    unsigned queues = 1;
    unsigned descriptors = 1'024;
    unsigned mtu = 1'500;
    std::vector<unsigned> vlans;
    std::vector<port_address> addresses{};
    bool promiscuous = false;
    std::string tap; // name of the kernel interface; once the file is read, the port's name unless the file
                     // sets another

    bool is_virtual() const noexcept { return device.starts_with("net_"); }
    bool is_bond() const noexcept { return device.starts_with("net_bonding"); }
    bool is_af_packet() const noexcept { return device.starts_with("net_af_packet"); }
    bool is_af_xdp() const noexcept { return device.starts_with("net_af_xdp"); }
};

// Longest packet that a port on af_xdp can receive. The kernel writes each packet into a frame of 4,096
// bytes, which must also hold 256 bytes of headroom, an Ethernet header and two tags.
inline constexpr unsigned beside_in_xdp_frame = 256 + 22;
inline constexpr unsigned longest_by_af_xdp = 3'498;

// The devices that a port receives from: its own device, or each member of a bonding device as a port with
// the same settings.
std::vector<port_config> devices_of(const port_config& port);
// True if any of these devices uses af_xdp.
bool takes_by_af_xdp(const port_config& port);

// pipeline: each stage has its own threads. fused: the same threads look up and send. complete: every thread
// does everything.
enum class run_mode : std::uint8_t { pipeline, fused, complete };
// Behaviour of a thread that finds no work: poll again immediately, or sleep for 50 us.
enum class idle_mode : std::uint8_t { poll, sleep };

struct placement_config {
    bool automatic = true;
    bool lookups_apart = false;    // if automatic: give lookup threads their own caches
    std::vector<unsigned> receive; // core of each thread, if not automatic
    std::vector<unsigned> lookup;
    std::vector<unsigned> send;
    std::vector<unsigned> host;    // at most one core; empty: any free core
    std::vector<unsigned> control; // at most one core; empty: any free core
    bool share = false;            // allow several threads on one core
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
    std::string network_namespace; // empty: the namespace in which the router was started
    unsigned host_ring = 1'024;
    unsigned neighbour_queue = 64; // packets held for one unresolved neighbour
    unsigned icmp_rate = 1'000;    // ICMP errors per second; 0: none
    unsigned icmp_burst = 50;
    unsigned port_rate = 50'000; // packets of each port per second; 0: unlimited
    unsigned port_burst = 5'000;
};

struct memory_config {
    bool huge = false;
    // True for "auto": use huge pages if the machine has some free. start_checks.hpp then sets `huge`.
    bool huge_if_there = true;
    unsigned megabytes = 0; // 0: as much as DPDK needs
    unsigned mbufs = 0;     // 0: as many as queues, rings and bursts can hold
};

// Metrics endpoint; an empty address disables it.
struct telemetry_config {
    std::string prometheus = "127.0.0.1:9620";
    bool remote = false; // allow addresses other than loopback
    unsigned time_one_in = 64;
    unsigned sample_one_in = 1024;
};

struct privileges_config {
    std::string user; // empty: keep the user that started the router
    std::string group;
};

struct config {
    std::string scheme; // empty: the default scheme
    route_config routes{};
    source_settings sources{};
    std::vector<port_config> ports;
    std::vector<vrf_config> vrfs; // in addition to the default VRF
    threads_config threads{};
    kernel_config kernel{};
    memory_config memory{};
    telemetry_config telemetry{};
    privileges_config privileges{};
};

std::string_view name_of(run_mode mode) noexcept;

// Formats an address as in the configuration: `192.0.2.1/24`, or `2001:db8::1/64@5` on VLAN 5.
std::string to_text(const port_address& address);

// An address and a port, written `[::1]:9620` for IPv6. The text must have been accepted by parse_config().
struct endpoint {
    std::string address;
    std::uint16_t port = 0;
};
endpoint endpoint_of(std::string_view text);

// `settings` must not be used if the report has errors.
struct parsed_config {
    config settings{};
    report findings;
};

// `schemes` are the allowed values of `scheme`. `file` names the text in messages. A TOML syntax error stops
// the parser; all other errors are reported together.
parsed_config parse_config(std::string_view text, const std::string& file,
                           std::span<const std::string> schemes);

// Reads the file first. A file that cannot be read is an error in the report.
parsed_config load_config(const std::string& file, std::span<const std::string> schemes);

// Name, type, default and meaning of each key, for the documentation and its test.
std::vector<key_facts> known_keys();

} // namespace fingerpost::router
