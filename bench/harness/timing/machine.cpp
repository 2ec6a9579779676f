// Reads /proc, /sys and macros of the compiler.
#include "bench/harness/timing/machine.hpp"

#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/utsname.h>
#include <thread>

#include "bench/harness/timing/clock.hpp"
#include "fingerpost/simd/isa.hpp"
#include "fingerpost/simd/tuning.hpp"

namespace fingerpost::bench {
namespace {

namespace fs = std::filesystem;

const std::string unknown = "unknown";

std::string first_line(const fs::path& path) {
    std::ifstream file(path);
    std::string line;
    return std::getline(file, line) && !line.empty() ? line : unknown;
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string cpu_model() {
    std::ifstream file("/proc/cpuinfo");
    std::string line;
    while (std::getline(file, line))
        if (line.starts_with("model name") && line.find(": ") != std::string::npos)
            return line.substr(line.find(": ") + 2);
    return unknown;
}

// For example "L2 Unified 2048K", for the first CPU.
std::vector<std::string> caches() {
    std::vector<std::string> list;
    const fs::path folder = "/sys/devices/system/cpu/cpu0/cache";
    for (int i = 0; fs::exists(folder / ("index" + std::to_string(i))); ++i) {
        const fs::path index = folder / ("index" + std::to_string(i));
        list.push_back(fmt::format("L{} {} {}", first_line(index / "level"), first_line(index / "type"),
                                   first_line(index / "size")));
    }
    return list;
}

// Returns the word in brackets in "always [madvise] never".
std::string huge_page_setting() {
    const std::string line = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
    const auto open = line.find('[');
    const auto close = line.find(']');
    return open < close && close != std::string::npos ? line.substr(open + 1, close - open - 1) : line;
}

std::string kernel_release() {
    utsname names{};
    return uname(&names) == 0 ? std::string(names.sysname) + " " + names.release : unknown;
}

// For example "0.02 0.10 0.08".
std::string load_averages() {
    const std::string line = first_line("/proc/loadavg");
    std::size_t end = 0;
    for (int field = 0; field < 3 && end != std::string::npos; ++field)
        end = line.find(' ', end + 1);
    return line.substr(0, end);
}

std::string compiler() {
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "g++ " __VERSION__;
#else
    return unknown;
#endif
}

std::string flags() {
#if defined(FINGERPOST_BUILD_FLAGS)
    return FINGERPOST_BUILD_FLAGS;
#elif defined(__OPTIMIZE__)
    return "optimised; kernels with the flags of their ISA";
#else
    return "not optimised";
#endif
}

// The commit that is checked out in the tree with the program, or in the working folder. Does not use git,
// which may not be installed.
std::string checked_out_commit() {
    std::error_code ignored;
    for (fs::path at = fs::read_symlink("/proc/self/exe", ignored); at.has_relative_path();
         at = at.parent_path()) {
        const fs::path git = at / ".git";
        if (!fs::is_directory(git, ignored))
            continue;
        const std::string head = first_line(git / "HEAD");
        if (!head.starts_with("ref: "))
            return head;
        const std::string name = head.substr(5);
        if (fs::exists(git / name, ignored))
            return first_line(git / name);
        std::ifstream packed(git / "packed-refs");
        for (std::string line; std::getline(packed, line);)
            if (line.size() > 41 && line.substr(41) == name)
                return line.substr(0, 40);
        return unknown;
    }
    return unknown;
}

} // namespace

environment describe_machine() {
    environment e;
    e.date = utc_now();
    e.version = unknown;
    e.commit = checked_out_commit();
    e.cpu = cpu_model();
    e.cpu_id = simd::text_of(simd::this_cpu());
    e.tuning = simd::text_of(simd::preferred_tuning());
    e.cores = std::thread::hardware_concurrency();
    e.caches = caches();
    e.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    e.huge_pages = huge_page_setting();
    e.kernel = kernel_release();
    e.load = load_averages();
    e.compiler = compiler();
    e.flags = flags();
    for (const simd::isa isa : simd::available_isas())
        e.isas.emplace_back(simd::name_of(isa));
    e.tsc_hz = measure_tsc_hz();
    return e;
}

} // namespace fingerpost::bench
