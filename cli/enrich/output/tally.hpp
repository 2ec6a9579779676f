// Counts what has been done, shows it on a terminal meanwhile, and reports the sum.
#pragma once

#include <chrono>
#include <cstdint>
#include <unistd.h>

#include "cli/enrich/enrich_worker.hpp"
#include "terminal/console.hpp"

namespace fingerpost::cli::enrich {

class tally {
  public:
    void add(const enriched_block& block);
    // Shows progress on stderr, if it is a terminal and the rows do not go to one.
    void show();
    void wipe() { progress_.wipe(); }
    const row_counts& counts() const noexcept { return counts_; }
    void report_sum() const;

  private:
    using clock = std::chrono::steady_clock;
    double seconds() const { return std::chrono::duration<double>(clock::now() - begun_).count(); }
    double rate() const;

    row_counts counts_;
    std::uint64_t bytes_ = 0;
    clock::time_point begun_ = clock::now();
    clock::time_point shown_ = begun_;
    bool is_terminal_out_ = is_terminal(STDOUT_FILENO);
    progress progress_;
};

} // namespace fingerpost::cli::enrich
