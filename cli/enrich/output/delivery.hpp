// Writes enriched blocks in order, and tells what was wrong in them.
#pragma once

#include <string>

#include "cli/enrich/enrich_worker.hpp"
#include "cli/enrich/output/tally.hpp"
#include "cli/enrich/rows/faults.hpp"
#include "terminal/console.hpp"

namespace fingerpost::cli::enrich {

class delivery {
  public:
    // The output begins with `beginning`.
    explicit delivery(std::string beginning);

    // Writes the block. Throws failure if a wrong row in it ends the run or the output cannot be written, and
    // closed_pipe if the reader of the output has closed it.
    void take(enriched_block&& block);
    void wipe() { tally_.wipe(); }
    // Writes what is left and returns the exit code. `scan` says which members were looked for.
    int finish(bool with_sum, const scan_choice& scan);

  private:
    output out_;
    tally tally_;
    fault_report faults_;
    std::string file_;
    bool ended_line_;
};

} // namespace fingerpost::cli::enrich
