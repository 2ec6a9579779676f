// Reads /proc/self, which also exists in a sandbox.
#include "system/service/process_metrics.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <dirent.h>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "system/unique_fd.hpp"

namespace fingerpost::system {
namespace {

// Fields of /proc/self/stat as numbered in proc(5), from 1.
constexpr std::size_t threads_field = 20;
constexpr std::size_t start_field = 22;
constexpr std::size_t virtual_field = 23;
constexpr std::size_t resident_field = 24;

std::string content_of(const char* path) {
    const unique_fd file(::open(path, O_RDONLY | O_CLOEXEC));
    std::array<char, 1024> block{};
    const ssize_t size = file ? ::read(file.get(), block.data(), block.size()) : -1;
    return size > 0 ? std::string(block.data(), static_cast<std::size_t>(size)) : std::string();
}

std::optional<std::uint64_t> field_of(const std::string& stat, std::size_t number) {
    // The second field is a name in parentheses, which may contain blanks and parentheses.
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos)
        return std::nullopt;
    std::size_t at = name_end + 1;
    for (std::size_t field = 2; field < number; ++field) {
        at = stat.find(' ', at);
        if (at == std::string::npos)
            return std::nullopt;
        ++at;
    }
    std::uint64_t value = 0;
    const auto read = std::from_chars(stat.data() + at, stat.data() + stat.size(), value);
    return read.ec == std::errc{} ? std::optional(value) : std::nullopt;
}

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double clock_seconds(clockid_t which) {
    timespec time{};
    ::clock_gettime(which, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

std::optional<std::uint64_t> open_descriptors() {
    DIR* const folder = ::opendir("/proc/self/fd");
    if (folder == nullptr)
        return std::nullopt;
    std::uint64_t count = 0;
    while (const dirent* const entry = ::readdir(folder))
        count += entry->d_name[0] != '.' ? 1U : 0U;
    ::closedir(folder);
    // One of them was that of the folder.
    return count - 1;
}

} // namespace

void write_process_metrics(metrics_writer& out) {
    const auto gauge = [&](const char* name, const char* help, auto value) {
        if (!value)
            return;
        out.begin(name, metric_kind::gauge, help);
        out.sample({}, *value);
    };
    rusage usage{};
    if (::getrusage(RUSAGE_SELF, &usage) == 0) {
        out.begin("process_cpu_seconds_total", metric_kind::counter, "User and system time.");
        out.sample({}, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
    }
    const std::string stat = content_of("/proc/self/stat");
    auto resident = field_of(stat, resident_field);
    if (resident)
        *resident *= static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    gauge("process_resident_memory_bytes", "Memory in use, including the resident part of mapped files.",
          resident);
    gauge("process_virtual_memory_bytes", "Address space in use.", field_of(stat, virtual_field));
    gauge("process_threads", "Threads.", field_of(stat, threads_field));
    gauge("process_open_fds", "Open descriptors.", open_descriptors());
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0)
        gauge("process_max_fds", "Maximum number of open descriptors.",
              std::optional<std::uint64_t>(std::uint64_t{limit.rlim_cur}));
    // The start time is relative to the boot of the machine.
    std::optional<double> start;
    if (const auto ticks = field_of(stat, start_field))
        start = clock_seconds(CLOCK_REALTIME) - clock_seconds(CLOCK_BOOTTIME) +
                static_cast<double>(*ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
    gauge("process_start_time_seconds", "Start time of the process, in seconds since 1970.", start);
}

} // namespace fingerpost::system
