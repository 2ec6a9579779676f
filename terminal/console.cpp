// Writes to file descriptors, and queries terminals.
#include "terminal/console.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "io/format/parts/printable.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

// Whether the last line on stderr shows progress; a message must not be appended to it.
std::atomic<bool> line_is_shown = false;

// An error of stderr itself cannot be reported.
void write_to_stderr(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

} // namespace

bool is_terminal(int descriptor) noexcept {
    return ::isatty(descriptor) == 1;
}

bool wants_color(int descriptor) {
    // https://no-color.org: if this is set and not empty, no colours are used.
    const char* const refusal = std::getenv("NO_COLOR");
    const char* const terminal = std::getenv("TERM");
    const bool refused = refusal != nullptr && *refusal != '\0';
    const bool dumb = terminal == nullptr || std::strcmp(terminal, "dumb") == 0;
    return !refused && !dumb && is_terminal(descriptor);
}

void report(std::string_view text) {
    static const bool color = wants_color(STDERR_FILENO);
    if (line_is_shown.exchange(false))
        write_to_stderr("\r\x1b[K");
    // One write for each line, so that lines of several processes do not mix.
    std::string line =
        color ? fmt::format("\x1b[31m{}:\x1b[0m ", program_name) : fmt::format("{}: ", program_name);
    line += io::printable(text);
    line += '\n';
    write_to_stderr(line);
}

void notice(std::string_view text) {
    if (is_verbose || is_terminal(STDERR_FILENO))
        report(text);
}

progress::progress() : terminal_(is_terminal(STDERR_FILENO)) {}

progress::~progress() {
    wipe();
}

void progress::show(std::string_view text) {
    if (!terminal_)
        return;
    write_to_stderr("\r\x1b[K" + io::printable(text));
    shown_ = true;
    line_is_shown = true;
}

void progress::show(std::string_view text, double seconds_left) {
    const auto left = static_cast<unsigned long>(std::max(seconds_left, 0.0));
    const auto minutes = (left + 30) / 60;
    if (seconds_left < 0)
        show(text);
    else if (left < 90)
        show(fmt::format("{}; about {} s left", text, left));
    else if (minutes < 90)
        show(fmt::format("{}; about {} min left", text, minutes));
    else
        show(fmt::format("{}; about {} h {} min left", text, minutes / 60, minutes % 60));
}

void progress::wipe() {
    if (shown_ && line_is_shown.exchange(false))
        write_to_stderr("\r\x1b[K");
    shown_ = false;
}

output::output() : descriptor_(STDOUT_FILENO), name_("stdout") {}

output::output(const std::string& path) : output() {
    if (path == "-")
        return;
    name_ = path;
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor_ < 0)
            throw failure(name_ + ": " + std::strerror(errno));
        return;
    }
    if (exists && ::access(path.c_str(), W_OK) != 0)
        throw failure(name_ + ": " + std::strerror(errno));
    std::error_code ignored;
    const auto resolved = std::filesystem::weakly_canonical(path, ignored);
    open_beside(ignored ? std::filesystem::path(path) : resolved);
    if (exists)
        (void)::fchmod(descriptor_, status.st_mode & 07777);
}

void output::open_beside(const std::filesystem::path& place) {
    target_ = place.filename().string();
    const std::filesystem::path folder = place.parent_path();
    // Files can be created in a folder that cannot be listed.
    folder_.reset(::open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder_)
        throw failure(name_ + ": " + std::strerror(errno));
    descriptor_ = temporary_.emplace(folder_.get()).create(0666);
    if (descriptor_ < 0)
        throw failure(name_ + ": " + std::strerror(errno));
}

output::~output() {
    if (descriptor_ != STDOUT_FILENO && descriptor_ >= 0)
        ::close(descriptor_);
}

void output::flush() {
    std::string_view rest = text_;
    while (!rest.empty()) {
        const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && errno == EPIPE)
            throw closed_pipe{};
        if (written < 0)
            throw failure(name_ + ": " + std::strerror(errno));
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    text_.clear();
}

void output::finish() {
    flush();
    if (descriptor_ == STDOUT_FILENO)
        return;
    const int closing = descriptor_;
    descriptor_ = -1;
    // Network file systems may report a full disk only here.
    if (::close(closing) != 0)
        throw failure(name_ + ": " + std::strerror(errno));
    if (temporary_ && !temporary_->rename_to(target_.c_str()))
        throw failure(name_ + ": " + std::strerror(errno));
}

} // namespace fingerpost::cli
