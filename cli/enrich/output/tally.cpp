// Adds up the counts of blocks and reports them.
#include "cli/enrich/output/tally.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "terminal/table/reading_progress.hpp"

namespace fingerpost::cli::enrich {

void tally::add(const enriched_block& block) {
    counts_.rows += block.counts.rows;
    counts_.matched += block.counts.matched;
    counts_.missed += block.counts.missed;
    counts_.no_address += block.counts.no_address;
    counts_.bad += block.counts.bad;
    counts_.selected += block.counts.selected;
    counts_.readable += block.counts.readable;
    counts_.hits |= block.counts.hits;
    bytes_ += block.bytes;
}

void tally::show() {
    // Rows on the terminal already show progress.
    const auto now = clock::now();
    if (is_terminal_out_ || now - shown_ < std::chrono::milliseconds(250))
        return;
    shown_ = now;
    progress_.show(fmt::format("{} rows, {} MB, {:.0f} rows/s", counts_.rows, bytes_ / 1'000'000, rate()),
                   read_->total == 0 ? -1 : seconds_left(read_->done, read_->total, seconds()));
}

void tally::report_sum() const {
    report(fmt::format(
        "{} rows: {} matched, {} missed, {} without an address, {} bad; {:.2f} s, {:.0f} rows/s",
        counts_.rows, counts_.matched, counts_.missed, counts_.no_address, counts_.bad, seconds(), rate()));
}

double tally::rate() const {
    return static_cast<double>(counts_.rows) / std::max(seconds(), 1e-9);
}

} // namespace fingerpost::cli::enrich
