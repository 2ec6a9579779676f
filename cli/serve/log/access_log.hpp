// The access log of `serve`: one line per HTTP answer.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "cli/serve/log/access_line.hpp"
#include "cli/serve/log/log_file.hpp"

namespace fingerpost::cli {

class access_log {
  public:
    // Throws failure if the file cannot be opened. `-` is standard output.
    access_log(std::string path, access_format format, log_counts& counts)
        : format_(format), counts_(counts), file_(std::move(path), counts) {}

    void add(const system::http_exchange& exchange) noexcept {
        try {
            file_.add(access_line(format_, exchange, std::chrono::system_clock::now()));
        } catch (...) {
            // No memory for the line.
            counts_.lost.fetch_add(1, std::memory_order_relaxed);
        }
    }
    void reopen() noexcept { file_.reopen(); }

  private:
    access_format format_;
    log_counts& counts_;
    log_file file_;
};

} // namespace fingerpost::cli
