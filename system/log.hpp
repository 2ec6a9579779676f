// The log of a daemon: one line per message, to stderr in the form of the router's log unless redirected.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace fingerpost::system {

// From rare and severe to frequent and minor.
enum class log_level : std::uint8_t { error, warning, info, debug };

using log_writer = std::function<void(log_level, std::string_view)>;

// Sets the level above which messages are not written; initially `info`.
void set_log_level(log_level max_level) noexcept;
log_level get_log_level() noexcept;

// Replaces the function that writes a line, and returns the previous one. An empty function means stderr.
// Must be called before other threads log.
log_writer set_log_writer(log_writer writer);

// `text` has no line end. Never fails: a line that cannot be written is lost.
void log_line(log_level level, std::string_view text) noexcept;

template <class... T>
void log(log_level level, fmt::format_string<T...> format, T&&... arguments) noexcept {
    if (level > get_log_level())
        return;
    try {
        log_line(level, fmt::format(format, std::forward<T>(arguments)...));
    } catch (...) {
        log_line(level, "a message was lost because memory was missing");
    }
}

} // namespace fingerpost::system
