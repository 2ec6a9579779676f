// Writes enriched blocks in order, and tells what was wrong in them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/enrich/enrich_worker.hpp"
#include "cli/enrich/output/tally.hpp"
#include "cli/enrich/rows/faults.hpp"
#include "io/source/compression/encoder.hpp"
#include "terminal/console.hpp"

namespace fingerpost::cli::enrich {

class delivery {
  public:
    // The output begins with `beginning`, and goes to the file `path`, compressed by its name, or for `-` to
    // the standard output. `read` says how far the input has been read. Throws failure.
    delivery(const std::string& path, std::string_view beginning, std::shared_ptr<const input_progress> read);

    // Writes the block. Throws failure if a wrong row in it ends the run or the output cannot be written, and
    // closed_pipe if the reader of the output has closed it.
    void take(enriched_block&& block);
    void wipe() { tally_.wipe(); }
    // What is written besides the blocks.
    void put(std::string_view text);
    // Leaves an old output file as it was, before the process ends without destructors.
    void abandon() { out_.reset(); }
    // Writes what is left and returns the exit code. `scan` says which members were looked for: if one is in
    // no row the result is useless, and an old output file stays, as it does if the input has broken off.
    int finish(bool with_sum, const scan_choice& scan, bool is_whole);
    // Of the blocks so far.
    std::uint64_t selected() const noexcept { return tally_.counts().selected; }

  private:
    std::optional<output> out_;
    std::optional<io::encoder> encoder_;
    tally tally_;
    fault_report faults_;
    std::string file_;
    bool ended_line_;
    bool is_array_begun_ = false; // of a JSON document, without a row so far
};

} // namespace fingerpost::cli::enrich
