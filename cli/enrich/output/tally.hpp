// Counts processed rows, shows progress on a terminal, and reports the totals.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "cli/enrich/enrich_worker.hpp"
#include "cli/enrich/input/row_files.hpp"
#include "terminal/console.hpp"

namespace fingerpost::cli::enrich {

class tally {
  public:
    // `read` is the progress of the input. `is_terminal_out` is whether rows are written to a terminal.
    tally(std::shared_ptr<const input_progress> read, bool is_terminal_out)
        : read_(std::move(read)), is_terminal_out_(is_terminal_out) {}

    void add(const enriched_block& block);
    // Shows progress on stderr if it is a terminal and rows are not written to one.
    void show();
    void wipe() { progress_.wipe(); }
    const row_counts& counts() const noexcept { return counts_; }
    void report_sum() const;

  private:
    using clock = std::chrono::steady_clock;
    double seconds() const { return std::chrono::duration<double>(clock::now() - begun_).count(); }
    double rate() const;

    std::shared_ptr<const input_progress> read_;
    bool is_terminal_out_;
    row_counts counts_;
    std::uint64_t bytes_ = 0;
    clock::time_point begun_ = clock::now();
    clock::time_point shown_ = begun_;
    progress progress_;
};

} // namespace fingerpost::cli::enrich
