// Builds the command line of DPDK's environment.
#include "router/ports/environment.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <rte_eal.h>
#include <rte_errno.h>

#include "router/ports/long_frames.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::router {
namespace {

constexpr std::string_view prefix_of_routers = "fingerpost-router-";

bool is_running(std::string_view number) {
    pid_t pid = 0;
    (void)std::from_chars(number.data(), number.data() + number.size(), pid);
    return pid <= 0 || ::kill(pid, 0) == 0 || errno != ESRCH;
}

// A process in another container may be invisible, but its socket answers.
bool is_listening(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path))
        return true;
    std::copy(path.begin(), path.end(), address.sun_path);
    const system::unique_fd asking(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (::connect(asking.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0)
        return true;
    return errno != ECONNREFUSED && errno != ENOENT;
}

// Including the sockets and files that DPDK has created in it.
void remove_folder(const std::filesystem::path& folder) {
    std::error_code fault;
    (void)std::filesystem::remove_all(folder, fault);
}

// Removes the folders of routers that were killed, or that could not remove them after giving up root.
void remove_stale_folders(const std::filesystem::path& folders) {
    std::error_code fault;
    for (std::filesystem::directory_iterator at(folders, fault), end; !fault && at != end;
         at.increment(fault)) {
        const std::string name = at->path().filename().string();
        const std::string socket = (at->path() / "dpdk_telemetry.v2").string();
        if (!name.starts_with(prefix_of_routers) ||
            is_running(std::string_view(name).substr(prefix_of_routers.size())) || is_listening(socket))
            continue;
        remove_folder(at->path());
    }
}

// The folder of DPDK's telemetry socket. DPDK removes the socket when the process ends, but not the folder.
class runtime_folder {
  public:
    ~runtime_folder() {
        if (!path_.empty())
            (void)::rmdir(path_.c_str());
    }
    void set(std::string path) { path_ = std::move(path); }

  private:
    std::string path_;
};

} // namespace

std::string device_name(const port_config& port) {
    return port.device.substr(0, port.device.find(','));
}

std::vector<std::string> environment_arguments(const config& settings, const placement& threads,
                                               std::size_t packet_bytes) {
    std::string lcores = fmt::format("0@{}", threads.control);
    for (std::size_t i = 0; i < threads.cores.size(); ++i)
        lcores += fmt::format(",{}@{}", i + 1, threads.cores[i]);
    std::vector<std::string> words = {"fingerpost-router", "--lcores=" + lcores,
                                      fmt::format("--file-prefix={}{}", prefix_of_routers, ::getpid()),
                                      "--log-level=lib.eal:notice",
                                      // It warns about kernel features that are optional for it.
                                      "--log-level=pmd.net.tap:alert"};
    if (!settings.memory.huge) {
        words.insert(words.end(), {"--no-huge", "--no-shconf"});
    } else {
        words.emplace_back("--in-memory");
    }
    std::size_t megabytes = settings.memory.megabytes;
    if (megabytes == 0 && !settings.memory.huge)
        megabytes = usual_megabytes(packet_bytes);
    if (megabytes != 0)
        words.insert(words.end(), {"-m", std::to_string(megabytes)});
    bool any_pci = false;
    for (const port_config& port : settings.ports) {
        // Members come first, because a bonding device looks for them when it is created.
        std::vector<port_config> devices = devices_of(port);
        if (port.is_bond())
            devices.push_back(port);
        for (const port_config& device : devices) {
            words.push_back((device.is_virtual() ? "--vdev=" : "--allow=") + device_arguments(device));
            any_pci |= !device.is_virtual();
        }
    }
    if (!any_pci)
        words.emplace_back("--no-pci");
    return words;
}

std::optional<std::string> start_environment(const config& settings, const placement& threads,
                                             std::size_t packet_bytes) {
    // DPDK keeps pointers to its arguments.
    static std::vector<std::string> words;
    static std::vector<char*> pointers;
    // Created before DPDK starts, so that it is destroyed after DPDK has removed its socket.
    static runtime_folder folder;
    words = environment_arguments(settings, threads, packet_bytes);
    for (std::string& word : words)
        pointers.push_back(word.data());
    if (rte_eal_init(static_cast<int>(pointers.size()), pointers.data()) >= 0) {
        folder.set(rte_eal_get_runtime_dir());
        remove_stale_folders(std::filesystem::path(rte_eal_get_runtime_dir()).parent_path());
        return std::nullopt;
    }
    const int error = rte_errno;
    // Removes what DPDK created before it failed. If the folder is not ours, DPDK has created nothing.
    const std::filesystem::path folder_of_dpdk = rte_eal_get_runtime_dir();
    if (folder_of_dpdk.filename() == fmt::format("{}{}", prefix_of_routers, ::getpid()))
        remove_folder(folder_of_dpdk);
    return fmt::format("DPDK does not start ({}): see its messages above{}", rte_strerror(error),
                       settings.memory.huge ? "; if there are no huge pages, set memory.huge = false" : "");
}

} // namespace fingerpost::router
