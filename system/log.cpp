// Writes a line in one call, so that lines of several threads do not mix.
#include "system/log.hpp"

#include <atomic>
#include <cstdio>
#include <string>
#include <utility>

namespace fingerpost::system {

namespace {

std::atomic<log_level> max_level{log_level::info};
log_writer custom_writer;

const char* name_of(log_level level) noexcept {
    switch (level) {
    case log_level::error:
        return "error";
    case log_level::warning:
        return "warning";
    case log_level::info:
        return "info";
    case log_level::debug:
        return "debug";
    }
    return "log";
}

} // namespace

void set_log_level(log_level level) noexcept {
    max_level.store(level, std::memory_order_relaxed);
}

log_level get_log_level() noexcept {
    return max_level.load(std::memory_order_relaxed);
}

log_writer set_log_writer(log_writer writer) {
    return std::exchange(custom_writer, std::move(writer));
}

void log_line(log_level level, std::string_view text) noexcept {
    if (level > get_log_level())
        return;
    try {
        if (custom_writer)
            return custom_writer(level, text);
        const std::string line = fmt::format("fingerpost-router: {}: {}\n", name_of(level), text);
        std::fwrite(line.data(), 1, line.size(), stderr);
    } catch (...) {
        std::fputs("fingerpost-router: a log line was lost\n", stderr);
    }
}

} // namespace fingerpost::system
