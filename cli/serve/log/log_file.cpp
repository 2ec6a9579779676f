// A bounded buffer passes lines from the answering threads to the writing thread.
#include "cli/serve/log/log_file.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "system/log.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

constexpr std::size_t most_waiting = std::size_t{4} << 20;
constexpr std::size_t large_batch = std::size_t{64} << 10;
// Lines of this period are written together.
constexpr auto gather_time = std::chrono::milliseconds(20);
constexpr auto retry_time = std::chrono::seconds(1);
constexpr auto end_time = std::chrono::seconds(2);
// A pipe accepts this much without blocking once it is ready (PIPE_BUF of Linux).
constexpr std::size_t pipe_bytes = 4096;
constexpr int pipe_milliseconds = 200;

std::uint64_t lines_in(std::string_view text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

log_file::log_file(std::string path, log_counts& counts) : path_(std::move(path)), counts_(counts) {
    if (path_ != "-") {
        file_ = open();
        if (!file_)
            throw failure(fmt::format("--access-log: {}: {}", path_, std::strerror(errno)));
    }
    struct stat status {};
    is_regular_ =
        ::fstat(path_ == "-" ? STDOUT_FILENO : file_.get(), &status) == 0 && S_ISREG(status.st_mode);
    // Signals belong to the thread that waits for them, even if it blocks them later.
    sigset_t signals;
    sigset_t before;
    sigfillset(&signals);
    ::pthread_sigmask(SIG_SETMASK, &signals, &before);
    thread_ = std::thread([this] { run(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

log_file::~log_file() {
    {
        const std::lock_guard held(lock_);
        ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

// Never waits for the reader of a named pipe, neither here nor in a write.
system::unique_fd log_file::open() const {
    return system::unique_fd(
        ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0640));
}

void log_file::add(std::string_view line) noexcept {
    try {
        bool wakes = false;
        {
            const std::lock_guard held(lock_);
            if (waiting_.size() + line.size() > most_waiting) {
                counts_.lost.fetch_add(1, std::memory_order_relaxed);
                return;
            }
            const std::size_t before = waiting_.size();
            waiting_ += line;
            wakes = before == 0 || (before < large_batch && waiting_.size() >= large_batch);
        }
        if (wakes)
            changed_.notify_one();
    } catch (...) {
        // No memory for it.
        counts_.lost.fetch_add(1, std::memory_order_relaxed);
    }
}

void log_file::reopen() noexcept {
    {
        const std::lock_guard held(lock_);
        reopens_ = true;
    }
    changed_.notify_one();
}

void log_file::run() {
    while (take_batch()) {
        if (write_batch()) {
            std::unique_lock held(lock_);
            changed_.wait_for(held, gather_time,
                              [this] { return ends_ || reopens_ || waiting_.size() >= large_batch; });
        }
    }
    const auto until = std::chrono::steady_clock::now() + end_time;
    while (std::chrono::steady_clock::now() < until && at_ != batch_.size() && write_some()) {
    }
    counts_.lost.fetch_add(lines_in(std::string_view(batch_).substr(at_)), std::memory_order_relaxed);
}

// Waits for lines, or for the time of the next attempt. Returns false at the end, with the last lines in the
// batch.
bool log_file::take_batch() {
    bool reopens = false;
    {
        std::unique_lock held(lock_);
        if (at_ == batch_.size())
            changed_.wait(held, [this] { return ends_ || reopens_ || !waiting_.empty(); });
        else
            changed_.wait_for(held, retry_time, [this] { return ends_ || reopens_; });
        reopens = std::exchange(reopens_, false);
        if (ends_ || at_ == batch_.size()) {
            batch_.erase(0, at_);
            batch_ += std::exchange(waiting_, {});
            at_ = 0;
        }
        if (ends_)
            return false;
    }
    if (reopens)
        replace_file();
    return true;
}

void log_file::replace_file() {
    if (path_ == "-")
        return;
    system::unique_fd next = open();
    if (!next) {
        system::log(system::log_level::error, "--access-log: {}: {}; still writing to the former file", path_,
                    std::strerror(errno));
        return;
    }
    file_ = std::move(next);
    // The rest of a line would become the start of the new file.
    if (at_ != 0 && batch_[at_ - 1] != '\n') {
        at_ = std::min(batch_.find('\n', at_), batch_.size() - 1) + 1;
        counts_.lost.fetch_add(1, std::memory_order_relaxed);
    }
    system::log(system::log_level::info, "{}: reopened", path_);
}

bool log_file::write_batch() {
    while (at_ != batch_.size()) {
        if (!write_some())
            return false;
        // A reader may block forever.
        const std::lock_guard held(lock_);
        if (ends_)
            break;
    }
    return true;
}

bool log_file::write_some() {
    const int to = path_ == "-" ? STDOUT_FILENO : file_.get();
    std::size_t size = batch_.size() - at_;
    if (!is_regular_) {
        pollfd ready{to, POLLOUT, 0};
        if (::poll(&ready, 1, pipe_milliseconds) <= 0)
            return true;
        size = std::min(size, pipe_bytes);
    }
    const ssize_t written = ::write(to, batch_.data() + at_, size);
    if (written < 0) {
        if (errno != EINTR && errno != EAGAIN)
            fail(errno);
        return errno == EINTR || errno == EAGAIN;
    }
    const auto count = static_cast<std::size_t>(written);
    counts_.written.fetch_add(lines_in(std::string_view(batch_).substr(at_, count)),
                              std::memory_order_relaxed);
    at_ += count;
    if (std::exchange(is_failing_, false))
        system::log(system::log_level::warning, "{}: writing again; {} lines were lost", path_,
                    counts_.lost.load(std::memory_order_relaxed) - lost_before_);
    return true;
}

void log_file::fail(int fault) {
    if (std::exchange(is_failing_, true))
        return;
    lost_before_ = counts_.lost.load(std::memory_order_relaxed);
    system::log(system::log_level::error, "--access-log: {}: {}; lines wait; those beyond {} bytes are lost",
                path_, std::strerror(fault), most_waiting);
}

} // namespace fingerpost::cli
