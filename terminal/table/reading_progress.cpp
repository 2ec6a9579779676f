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
    const int found = path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
    return found == 0 && S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
}

double seconds_left(std::uint64_t done, std::uint64_t all, double seconds_so_far) {
    if (done == 0 || all < done)
        return -1;
    return seconds_so_far * static_cast<double>(all - done) / static_cast<double>(done);
}

reading_progress::reading_progress(std::string words, std::uint64_t all)
    : words_(std::move(words)), all_(all) {}

void reading_progress::show(std::uint64_t done) {
    const auto now = clock::now();
    if (now - shown_ < std::chrono::milliseconds(250))
        return;
    shown_ = now;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    const double rate = static_cast<double>(done) / std::max(seconds, 1e-9);
    progress_.show(all_ == 0 ? fmt::format("{}: {} MB, {:.0f} MB/s", words_, done / 1'000'000, rate / 1e6)
                             : fmt::format("{}: {} of {} MB, {:.0f} MB/s", words_, done / 1'000'000,
                                           all_ / 1'000'000, rate / 1e6),
                   all_ == 0 ? -1 : seconds_left(done, all_, seconds));
}

} // namespace fingerpost::cli
