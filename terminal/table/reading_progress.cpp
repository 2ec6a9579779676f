// Calculates rates and remaining times.
#include "terminal/table/reading_progress.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace fingerpost::cli {

std::uint64_t file_bytes(const std::string& path) {
    struct stat status {};
    const int error = path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
    return error == 0 && S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
}

double seconds_left(std::uint64_t done, std::uint64_t total, double seconds_so_far) {
    if (done == 0 || total < done)
        return -1;
    return seconds_so_far * static_cast<double>(total - done) / static_cast<double>(done);
}

reading_progress::reading_progress(std::string text, std::uint64_t total)
    : text_(std::move(text)), total_(total) {}

void reading_progress::show(std::uint64_t done) {
    const auto now = clock::now();
    if (now - shown_ < std::chrono::milliseconds(250))
        return;
    shown_ = now;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    const double rate = static_cast<double>(done) / std::max(seconds, 1e-9);
    progress_.show(total_ == 0 ? fmt::format("{}: {} MB, {:.0f} MB/s", text_, done / 1'000'000, rate / 1e6)
                               : fmt::format("{}: {} of {} MB, {:.0f} MB/s", text_, done / 1'000'000,
                                             total_ / 1'000'000, rate / 1e6),
                   total_ == 0 ? -1 : seconds_left(done, total_, seconds));
}

} // namespace fingerpost::cli
