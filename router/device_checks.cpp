// One function for each kind of limit. The drivers' numbers are those of DPDK 22.11.
#include "router/device_checks.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <numeric>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <rte_config.h>

#include "router/config/text_checks.hpp"
#include "router/config/wiring.hpp"
#include "router/ports/environment.hpp"
#include "router/ports/long_frames.hpp"
#include "router/ports/packet_pools.hpp"
#include "router/routes/kernel/link_facts.hpp"
#include "system/network_namespace.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::router {
namespace {

namespace fs = std::filesystem;

constexpr unsigned page = 4'096;
constexpr unsigned most_tap_queues = 16;

// Calls check(device, place) for the device of each port, or for each of its members.
template <class F>
void for_each_device(const config& settings, const report& findings, F check) {
    for (std::size_t i = 0; i < settings.ports.size(); ++i)
        for (const port_config& device : devices_of(settings.ports[i]))
            check(device, findings.place_of(fmt::format("port.{}.{}", i,
                                                        settings.ports[i].is_bond() ? "members" : "device")));
}

// A driver's shared library has the driver's name, with these exceptions.
std::string library_of(std::string driver) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> others{
        {{"net_bonding", "net_bond"}, {"net_tun", "net_tap"}, {"net_virtio_user", "net_virtio"}}};
    for (const auto& [name, library] : others)
        if (driver == name)
            driver = library;
    return "librte_" + driver + ".so";
}

// Checks the ring sizes of af_packet; the kernel accepts only certain combinations.
void check_ring(const port_config& port, place where, report& findings) {
    const std::string device = device_arguments(port);
    const unsigned frame = ring_frame_bytes(port);
    const unsigned block = number_argument(device, "blocksz", page);
    const unsigned count = number_argument(device, "framecnt", 512);
    constexpr unsigned beside_packet = 128;
    const auto refuse = [&](const std::string& why) {
        findings.error(where, fmt::format("{}: {}", bare_device(port.device), why));
    };
    if (block == 0 || block % page != 0)
        return refuse(fmt::format("blocksz is {}; it must be a multiple of {}", block, page));
    if (frame == 0 || frame % 16 != 0 || frame > block)
        return refuse(
            fmt::format("framesz is {}; it must be a multiple of 16, and at most blocksz, {}", frame, block));
    if (frame < port.mtu + beside_packet)
        return refuse(
            fmt::format("framesz is {}; an MTU of {} needs {}", frame, port.mtu, port.mtu + beside_packet));
    if (const unsigned in_block = block / frame; count < in_block || count % in_block != 0)
        refuse(fmt::format("framecnt is {}; it must be a multiple of {}, the frames of a block", count,
                           in_block));
}

// Number of queues of a driver for kernel interfaces, according to its arguments; 0: unknown.
unsigned queues_of_driver(const port_config& port, std::string_view& argument) {
    argument = port.is_af_packet() ? "qpairs" : port.is_af_xdp() ? "queue_count" : "";
    if (!argument.empty())
        return number_argument(port.device, argument, 1);
    return port.device.starts_with("net_tap") ? most_tap_queues : 0;
}

// Number of an interface's queues that af_xdp can use, computed as its driver does.
unsigned queues_of_interface(const std::string& interface) {
    const system::unique_fd any(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ethtool_channels channels{};
    channels.cmd = ETHTOOL_GCHANNELS;
    ifreq request{};
    interface.copy(request.ifr_name, IFNAMSIZ - 1);
    request.ifr_data = reinterpret_cast<char*>(&channels);
    const bool answered = ::ioctl(any.get(), SIOCETHTOOL, &request) == 0;
    return answered && channels.max_combined != 0 ? channels.combined_count : 1;
}

std::size_t memory_of_machine() {
    std::ifstream lines("/proc/meminfo");
    std::string name;
    std::size_t kilobytes = 0;
    lines >> name >> kilobytes;
    return name == "MemTotal:" ? kilobytes * 1024 : 0;
}

} // namespace

bool has_driver_files() {
    std::error_code fault;
    const fs::path folder = RTE_EAL_PMD_PATH;
    return !folder.empty() && fs::is_directory(folder, fault);
}

std::string driver_file(const std::string& device) {
    std::string driver = bare_device(device);
    driver.erase(driver.find_last_not_of("0123456789") + 1);
    const std::string library = library_of(driver);
    std::error_code fault;
    for (fs::directory_iterator at(RTE_EAL_PMD_PATH, fault), end; !fault && at != end; at.increment(fault))
        if (at->path().filename().string().starts_with(library))
            return at->path().string();
    return {};
}

void check_devices_of_dpdk(const config& settings, report& findings) {
    std::size_t devices = 2 * settings.ports.size();
    for (const port_config& port : settings.ports)
        devices += port.members.size();
    if (devices > RTE_MAX_ETHPORTS)
        findings.error({}, fmt::format("the ports, their TAPs and members are {} devices; DPDK supports {}",
                                       devices, RTE_MAX_ETHPORTS));
    // The control thread needs one too.
    if (const std::size_t threads = plan_wiring(settings).threads.size() + 1; threads > RTE_MAX_LCORE)
        findings.error(findings.place_of("threads"),
                       fmt::format("there are {} threads; DPDK supports {}", threads, RTE_MAX_LCORE));
}

// The names of a driver's arguments are strings in its library.
void check_arguments(const config& settings, report& findings) {
    for_each_device(settings, findings, [&](const port_config& port, place where) {
        const std::string file = port.is_virtual() ? driver_file(port.device) : std::string();
        if (file.empty())
            return;
        std::ifstream in(file, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(in), {}};
        for (const auto& [name, value] : arguments_of(port.device))
            if (bytes.find(name + '\0') == std::string::npos && bytes.find(name + '=') == std::string::npos)
                findings.error(where, fmt::format("the driver of {} has no argument {}",
                                                  bare_device(port.device), name));
        if (port.is_af_packet())
            check_ring(port, where, findings);
    });
}

void check_queues(const config& settings, report& findings) {
    for_each_device(settings, findings, [&](const port_config& port, place where) {
        std::string_view argument;
        const unsigned queues = queues_of_driver(port, argument);
        if (queues != 0 && port.queues > queues)
            findings.error(
                where,
                fmt::format("port.queues is {}, but {} has {}{}", port.queues, bare_device(port.device),
                            queues,
                            argument.empty() ? "" : fmt::format("; write {}={}", argument, port.queues)));
        const std::string below = interface_below(port);
        if (!port.is_af_xdp() || ::if_nametoindex(below.c_str()) == 0)
            return;
        const unsigned has = queues_of_interface(below);
        const unsigned first = number_argument(port.device, "start_queue", 0);
        if (queues > has || first + port.queues > has)
            findings.outside(
                where,
                fmt::format("{} needs {} queues on interface {}, which has {} (`ethtool -L {} combined {}`)",
                            bare_device(port.device), std::max(queues, first + port.queues), below, has,
                            below, std::max(queues, first + port.queues)));
    });
}

void check_interfaces(const config& settings, report& findings) {
    for_each_device(settings, findings, [&](const port_config& port, place where) {
        const std::string below = interface_below(port);
        if (below.empty() || port.device.starts_with("net_pcap"))
            return;
        if (const auto link = find_link(below); link && link->longest != 0 && port.mtu > link->longest)
            findings.outside(where, fmt::format("port.mtu is {}, but interface {} supports at most {}",
                                                port.mtu, below, link->longest));
    });
    (void)system::in_network_namespace(settings.kernel.network_namespace, [&] {
        for (std::size_t i = 0; i < settings.ports.size(); ++i) {
            const std::string& name = settings.ports[i].tap;
            const auto link = find_link(name);
            if (!link || (link->kind == "tun" && link->is_tap && link->has_queues))
                continue;
            findings.outside(
                findings.place_of(fmt::format("port.{}.tap", i)),
                fmt::format("the port's TAP cannot be named {}: an interface with that name exists already{}",
                            name, link->kind == "tun" ? ", created without multi_queue" : ""));
        }
    });
}

void check_memory_size(const config& settings, report& findings) {
    const std::size_t needed = packet_memory(settings);
    const std::size_t megabytes = settings.memory.megabytes;
    const place where = findings.place_of("memory.megabytes");
    if (!settings.memory.huge && megabytes != 0 && megabytes < least_megabytes(needed))
        findings.error(where, fmt::format("memory.megabytes is {}; packet buffers and rings need {}",
                                          megabytes, least_megabytes(needed)));
    const std::size_t machine = memory_of_machine();
    if (const std::size_t total = std::max(megabytes << 20, needed); machine != 0 && total > machine)
        findings.outside(
            where, fmt::format("{} MiB of memory are needed, but this machine has {}; lower {}", total >> 20,
                               machine >> 20,
                               needed > machine ? "queues, rings and descriptors" : "memory.megabytes"));
}

} // namespace fingerpost::router
