// Appends lines to a file in a thread of its own, so that a full disk or a slow reader delays no answer.
//
// Lines that cannot be written wait, up to a limit; further lines are dropped and counted. Writing is retried
// every second. Lines are always written in full, except the last one of a file that is being replaced.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "system/unique_fd.hpp"

namespace fingerpost::cli {

struct log_counts {
    std::atomic<std::uint64_t> written = 0;
    std::atomic<std::uint64_t> lost = 0;
};

class log_file {
  public:
    // `-` is standard output. A new file gets mode 0640, less the umask. Throws failure if it cannot be
    // opened.
    log_file(std::string path, log_counts& counts);
    log_file(const log_file&) = delete;
    log_file& operator=(const log_file&) = delete;
    // Writes the waiting lines, for at most two seconds.
    ~log_file();

    // `line` ends with a line feed. Any thread may call it; it never waits for the file.
    void add(std::string_view line) noexcept;
    // Reopens the path soon, because the file may have been renamed. If that fails, keeps the old file.
    void reopen() noexcept;

  private:
    system::unique_fd open() const;
    void run();
    bool take_batch();
    void replace_file();
    // Both return false if nothing can be written for now.
    bool write_batch();
    bool write_some();
    void fail(int fault);

    const std::string path_;
    log_counts& counts_;
    system::unique_fd file_; // unset for standard output
    bool is_regular_ = false;

    std::mutex lock_;
    std::condition_variable changed_;
    std::string waiting_;
    bool reopens_ = false;
    bool ends_ = false;

    // Used by the writing thread only.
    std::string batch_;
    std::size_t at_ = 0; // number of bytes already written
    bool is_failing_ = false;
    std::uint64_t lost_before_ = 0; // lines lost before the current failure
    std::thread thread_;
};

} // namespace fingerpost::cli
