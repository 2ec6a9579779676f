// How far a file has been read, with the rate and the remaining time, on a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "terminal/console.hpp"

namespace fingerpost::cli {

// The size of a regular file in bytes, `-` being the standard input; 0 if it is none or empty.
std::uint64_t file_bytes(const std::string& path);

class reading_progress {
  public:
    // Messages begin with `words`. `all`: the bytes of the file; 0 if that is not known.
    reading_progress(std::string words, std::uint64_t all);
    // To be called often; shows something only now and then, and nothing in the first half second.
    void show(std::uint64_t done);
    void wipe() { progress_.wipe(); }

  private:
    using clock = std::chrono::steady_clock;

    std::string words_;
    std::uint64_t all_;
    clock::time_point begun_ = clock::now();
    clock::time_point shown_ = begun_ + std::chrono::milliseconds(250);
    progress progress_;
};

// The time that the rest of `all` takes if it goes on as before; below 0 if that cannot be said.
double seconds_left(std::uint64_t done, std::uint64_t all, double seconds_so_far);

} // namespace fingerpost::cli
