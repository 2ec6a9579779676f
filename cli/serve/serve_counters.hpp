// Counters of `serve`, and their text as Prometheus metrics.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/serve/log/log_file.hpp"
#include "cli/serve/table/reloader.hpp"

namespace fingerpost::cli {

// Counters of the HTTP server or of the socket.
struct client_counts {
    std::atomic<std::uint64_t> addresses = 0;
    std::atomic<std::uint64_t> connections = 0; // open connections
    std::atomic<std::uint64_t> refused = 0;     // connections beyond the limit
};

class serve_counters {
  public:
    client_counts http;
    client_counts socket;
    log_counts log; // lines of the access log

    void count_code(int code) noexcept;
    // Counts an HTTP request for addresses. `took` is the time from reading the first address to the answer.
    void count_answer(std::chrono::steady_clock::duration took) noexcept;

    std::string text(const served_table& table, const reload_counts& reloads) const;

  private:
    static constexpr std::size_t code_end = 600;
    static constexpr std::array bounds{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                       0.025,  0.05,    0.1,    0.25,  0.5,    1.0,   2.5};

    std::array<std::atomic<std::uint64_t>, code_end> codes_{};
    std::array<std::atomic<std::uint64_t>, bounds.size() + 1> answers_{};
    std::atomic<std::uint64_t> nanoseconds_ = 0;
    std::chrono::system_clock::time_point start_ = std::chrono::system_clock::now();
};

} // namespace fingerpost::cli
