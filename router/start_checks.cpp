// One function for each kind of requirement; check_machine() calls them.
#include "router/start_checks.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <net/if.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <system_error>

#include <fmt/format.h>

#include "fingerpost/net/text.hpp"
#include "router/config/text_checks.hpp"
#include "router/config/vrf_plan.hpp"
#include "router/device_checks.hpp"
#include "router/routes/fpm/socket_address.hpp"
#include "router/routes/source/route_source.hpp"
#include "system/network_namespace.hpp"
#include "system/privileges.hpp"
#include "system/topology.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::router {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) {
    return std::generic_category().message(error);
}

place place_in_port(const report& findings, std::size_t port, std::string_view key) {
    return findings.place_of(fmt::format("port.{}.{}", port, key));
}

void check_privileges(const config& settings, report& findings) {
    const auto need = [&](system::capability capability, std::string_view name, place where,
                          std::string_view what) {
        if (!system::has_capability(capability))
            findings.outside(
                where, fmt::format("{}, which needs {}; start the router as root, or give it that capability",
                                   what, name));
    };
    need(system::capability::net_admin, "CAP_NET_ADMIN", {}, "each port has a TAP interface");
    const system::unique_fd tun(::open("/dev/net/tun", O_RDWR | O_CLOEXEC));
    if (!tun)
        findings.outside({}, fmt::format("each port needs a TAP interface, but /dev/net/tun cannot be "
                                         "opened: {}; `modprobe tun` may help",
                                         reason(errno)));
    for (std::size_t i = 0; i < settings.ports.size(); ++i)
        for (const port_config& device : devices_of(settings.ports[i])) {
            const std::string below = interface_below(device);
            if (below.empty())
                continue;
            const std::string key = settings.ports[i].members.empty() ? "device" : "members";
            const place where = place_in_port(findings, i, key);
            const std::string takes = fmt::format("port.{} takes the packets of interface {}", key, below);
            need(system::capability::net_raw, "CAP_NET_RAW", where, takes);
            // af_xdp loads a program into the kernel.
            if (device.is_af_xdp())
                need(system::capability::sys_admin, "CAP_SYS_ADMIN", where, takes + " by af_xdp");
        }
    if (!settings.kernel.network_namespace.empty())
        need(system::capability::sys_admin, "CAP_SYS_ADMIN", findings.place_of("kernel.namespace"),
             "kernel.namespace is another network namespace");
    if (!settings.privileges.user.empty()) {
        need(system::capability::setuid, "CAP_SETUID", findings.place_of("privileges.user"),
             "privileges.user is another user");
        need(system::capability::setgid, "CAP_SETGID", findings.place_of("privileges.user"),
             "privileges.user has other groups");
    }
}

// Bytes in huge pages of all sizes. `which` is a kernel file: nr_hugepages or free_hugepages.
std::uint64_t huge_bytes(std::string_view which) {
    std::uint64_t sum = 0;
    std::error_code fault;
    for (fs::directory_iterator at("/sys/kernel/mm/hugepages", fault), end; !fault && at != end;
         at.increment(fault)) {
        std::uint64_t pages = 0;
        std::uint64_t kilobytes = 0;
        // Folders are named hugepages-2048kB.
        const std::string name = at->path().filename().string();
        const std::string_view size =
            std::string_view(name).substr(std::min(name.find('-') + 1, name.size()));
        (void)std::from_chars(size.data(), size.data() + size.size(), kilobytes);
        if (std::ifstream(at->path() / which) >> pages)
            sum += pages * kilobytes * 1024;
    }
    return sum;
}

void check_memory(const config& settings, report& findings) {
    // Pages in use count too, because a running router may hold them.
    if (settings.memory.huge && huge_bytes("nr_hugepages") == 0)
        findings.outside(findings.place_of("memory.huge"),
                         "this machine has no huge pages; reserve some (`dpdk-hugepages.py --setup 2G`), or "
                         "set memory.huge = false, which is slower");
}

void check_space(const config& settings, report& findings) {
    const std::string& name = settings.kernel.network_namespace;
    if (name.empty() || !system::has_capability(system::capability::sys_admin))
        return;
    if (const auto failed = system::in_network_namespace(name, [] {}))
        findings.outside(
            findings.place_of("kernel.namespace"),
            fmt::format("kernel.namespace is {}, which cannot be entered: {}", name, failed->reason));
}

// Kernel drivers that leave a device to DPDK, or share it with DPDK.
bool is_for_dpdk(std::string_view driver) {
    constexpr std::array<std::string_view, 7> drivers{
        "vfio-pci", "uio_pci_generic", "igb_uio", "mlx4_core", "mlx5_core", "mana", "gve"};
    return std::find(drivers.begin(), drivers.end(), driver) != drivers.end();
}

void check_pci_device(const std::string& device, place where, report& findings) {
    const fs::path folder = fs::path(system::kernel_devices) / device;
    std::error_code fault;
    if (!fs::exists(folder, fault)) {
        findings.outside(
            where,
            fmt::format("this machine has no PCI device {}; `dpdk-devbind.py --status` lists its devices",
                        device));
        return;
    }
    const std::string driver = fs::read_symlink(folder / "driver", fault).filename().string();
    if (driver.empty())
        findings.outside(
            where,
            fmt::format("the PCI device {} has no driver; bind it to vfio-pci (`dpdk-devbind.py`)", device));
    else if (!is_for_dpdk(driver))
        findings.warning(where, fmt::format("the kernel driver {} uses the PCI device {}; most devices must "
                                            "be bound to vfio-pci (`dpdk-devbind.py`)",
                                            driver, device));
}

void check_devices(const config& settings, report& findings) {
    const auto check = [&](const port_config& port, place where) {
        const std::string device = bare_device(port.device);
        if (!port.is_virtual())
            check_pci_device(device, where, findings);
        else if (has_driver_files() && driver_file(device).empty())
            findings.outside(where, fmt::format("DPDK has no driver for {}", device));
        else if (const std::string below = interface_below(port);
                 !below.empty() && ::if_nametoindex(below.c_str()) == 0)
            findings.outside(
                where, fmt::format("there is no interface {} in the network namespace of the router", below));
    };
    for (std::size_t i = 0; i < settings.ports.size(); ++i) {
        check(settings.ports[i], place_in_port(findings, i, "device"));
        if (!settings.ports[i].members.empty())
            for (const port_config& device : devices_of(settings.ports[i]))
                check(device, place_in_port(findings, i, "members"));
    }
}

void check_user(const config& settings, report& findings) {
    const privileges_config& account_names = settings.privileges;
    if (account_names.user.empty())
        return;
    const auto user = system::find_account(account_names.user, "");
    if (!user)
        findings.outside(findings.place_of("privileges.user"), user.error());
    else if (const auto both = system::find_account(account_names.user, account_names.group); !both)
        findings.outside(findings.place_of("privileges.group"), both.error());
}

// The interfaces of ports do not exist yet, so their number is a placeholder.
std::optional<std::uint32_t> number_of_interface(const config& settings, std::string_view name) {
    for (const port_config& port : settings.ports) {
        if (name == port.tap)
            return 1;
        for (const unsigned id : port.vlans)
            if (name == fmt::format("{}.{}", port.tap, id))
                return 1;
    }
    const unsigned number = ::if_nametoindex(std::string(name).c_str());
    return number == 0 ? std::nullopt : std::optional(number);
}

// Checks that the address can be listened on; the TCP port is not checked.
void check_listener(const config& settings, std::string_view key, const std::string& text, report& findings) {
    const auto address = parse_address(text);
    if (!address)
        return;
    for (const port_config& port : settings.ports)
        for (const port_address& port_address : port.addresses)
            if (port_address.address == *address)
                return; // the address will be added with the port
    socket_address where = socket_address_of(*address, 0);
    const system::unique_fd listener(::socket(where.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!listener || ::bind(listener.get(), where.get(), where.length) != 0)
        findings.outside(findings.place_of(key),
                         fmt::format("{} has {}, which cannot be listened on: {}", key, text, reason(errno)));
}

void check_metrics(const config& settings, report& findings) {
    if (!settings.telemetry.prometheus.empty())
        check_listener(settings, "telemetry.prometheus", endpoint_of(settings.telemetry.prometheus).address,
                       findings);
}

} // namespace

void check_route_source(const config& settings, report& findings) {
    const route_feed feed = settings.routes.feed;
    const route_source& source = source_of(feed);
    if (source.try_machine == nullptr)
        return;
    (void)system::in_network_namespace(settings.kernel.network_namespace, [&] {
        source.try_machine(settings.sources.of(feed),
                           {[&](std::string_view name) { return number_of_interface(settings, name); },
                            [&](std::string_view key, const std::string& address) {
                                check_listener(settings, key, address, findings);
                            },
                            settings.routes.path, vrf_files_of(settings)},
                           findings);
    });
}

std::string choose_memory(config& settings) {
    // Fewer huge pages are for tests and small virtual machines and bring no gain.
    constexpr std::uint64_t enough = std::uint64_t{512} << 20;
    if (!settings.memory.huge_if_there)
        return {};
    settings.memory.huge =
        huge_bytes("free_hugepages") >= std::max(enough, std::uint64_t{settings.memory.megabytes} << 20);
    if (settings.memory.huge)
        return "using huge pages, because enough are free";
    return "using ordinary pages, because too few huge pages are free; fast cards need huge pages "
           "(`dpdk-hugepages.py --setup 2G`)";
}

void check_machine(const config& settings, report& findings) {
    for (const auto check : {check_privileges, check_memory, check_memory_size, check_space, check_devices,
                             check_devices_of_dpdk, check_arguments, check_queues, check_interfaces,
                             check_user, check_route_source, check_metrics})
        check(settings, findings);
}

} // namespace fingerpost::router
