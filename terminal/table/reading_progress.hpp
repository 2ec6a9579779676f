// Shows how far a file has been read, with the rate and the remaining time, on a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "terminal/console.hpp"

namespace fingerpost::cli {

// Size of a regular file in bytes; `-` is standard input. 0 for other files.
std::uint64_t file_bytes(const std::string& path);

class reading_progress {
  public:
    // Messages begin with `text`. `total`: size of the file in bytes; 0 if unknown.
    reading_progress(std::string text, std::uint64_t total);
    // Call this often. It shows something only from time to time, and nothing in the first half second.
    void show(std::uint64_t done);
    void wipe() { progress_.wipe(); }

  private:
    using clock = std::chrono::steady_clock;

    std::string text_;
    std::uint64_t total_;
    clock::time_point begun_ = clock::now();
    clock::time_point shown_ = begun_ + std::chrono::milliseconds(250);
    progress progress_;
};

// Remaining time in seconds if the rate stays the same; below 0 if it is unknown.
double seconds_left(std::uint64_t done, std::uint64_t total, double seconds_so_far);

} // namespace fingerpost::cli
