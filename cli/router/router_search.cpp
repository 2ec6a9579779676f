// Searches the folders where DPDK puts its sockets.
#include "cli/router/router_search.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "io/format/parts/input_error.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {
namespace {

namespace fs = std::filesystem;

struct found_socket {
    fs::path path;
    fs::file_time_type time;
};

struct socket_search {
    std::vector<fs::path> folders;
    std::vector<found_socket> sockets; // newest first
    std::vector<std::string> refused;  // unreadable folders, with the reasons
};

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// The folder by DPDK's rule for the current process, then those of the router's service and of root.
std::vector<fs::path> folders_of_sockets() {
    if (const std::string own = environment("RUNTIME_DIRECTORY"); !own.empty())
        return {fs::path(own) / "dpdk"};
    std::vector<fs::path> folders = {"/var/run/dpdk", "/run/fingerpost-router/dpdk"};
    if (::geteuid() != 0) {
        const std::string own = environment("XDG_RUNTIME_DIR");
        folders.insert(folders.begin(), fs::path(own.empty() ? "/tmp" : own) / "dpdk");
    }
    return folders;
}

void search_folder(const fs::path& folder, socket_search& search) {
    std::error_code fault;
    fs::directory_iterator at(folder, fault);
    if (fault && fault != std::errc::no_such_file_or_directory && fault != std::errc::not_a_directory)
        search.refused.push_back(fmt::format("{}: {}", folder.string(), fault.message()));
    for (; !fault && at != fs::directory_iterator(); at.increment(fault)) {
        if (!at->path().filename().string().starts_with("fingerpost-router"))
            continue;
        const fs::path path = at->path() / "dpdk_telemetry.v2";
        std::error_code none;
        if (const auto time = fs::last_write_time(path, none); !none)
            search.sockets.push_back({path, time});
    }
}

socket_search search_sockets() {
    socket_search search;
    search.folders = folders_of_sockets();
    for (const fs::path& folder : search.folders)
        search_folder(folder, search);
    std::sort(search.sockets.begin(), search.sockets.end(),
              [](const found_socket& a, const found_socket& b) { return a.time > b.time; });
    return search;
}

std::string words_of_none(const socket_search& searched, const std::vector<std::string>& silent) {
    if (!silent.empty())
        return fmt::format("no router answers: {}", fmt::join(silent, "; "));
    if (!searched.refused.empty())
        return fmt::format("no router found: {}; run this as the user who started it",
                           fmt::join(searched.refused, "; "));
    std::vector<std::string> names;
    for (const fs::path& folder : searched.folders)
        names.push_back(folder.string());
    return fmt::format("no running router found (looked in {})", fmt::join(names, ", "));
}

} // namespace

void add_router_options(command& to, router_choice& choice) {
    option& socket = add_file(to, "--socket", choice.path,
                              "Telemetry socket of the router (default: found automatically)");
    socket.value = "PATH";
    add_real(to, "--timeout", choice.seconds, 0.01, 3600, "Seconds to wait for an answer");
}

void add_vrf_option(command& to, std::string& vrf) {
    option& vrf_option = add_text(to, "--vrf", "NAME", vrf, "VRF (default: the default VRF)");
    vrf_option.take = [&vrf](const std::string& text) {
        vrf = text;
        return text.find_first_of(",/") == std::string::npos ? ""
                                                             : io::quoted(text) + " is not the name of a VRF";
    };
}

std::string in_vrf(const std::string& vrf) {
    return vrf.empty() ? "" : "," + vrf;
}

router_socket open_router(const router_choice& choice) {
    const std::chrono::milliseconds patience(static_cast<std::int64_t>(choice.seconds * 1000));
    if (!choice.path.empty())
        return {choice.path, patience};
    const socket_search searched = search_sockets();
    std::vector<router_socket> open;
    std::vector<std::string> silent;
    for (const found_socket& socket : searched.sockets) {
        try {
            open.emplace_back(socket.path.string(), patience);
        } catch (const failure& why) {
            silent.emplace_back(why.what());
        }
    }
    if (open.empty())
        throw failure(words_of_none(searched, silent));
    if (open.size() == 1)
        return std::move(open.front());
    std::vector<std::string> paths;
    for (const router_socket& router : open)
        paths.push_back(router.path());
    throw usage_error(fmt::format("{} routers are running; choose one with --socket: {}", paths.size(),
                                  fmt::join(paths, ", ")));
}

} // namespace fingerpost::cli
