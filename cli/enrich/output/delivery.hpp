// Writes enriched blocks in order and reports their faults.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/enrich/enrich_worker.hpp"
#include "cli/enrich/output/tally.hpp"
#include "io/source/compression/encoder.hpp"
#include "terminal/console.hpp"
#include "terminal/table/bad_rows.hpp"

namespace fingerpost::cli::enrich {

class delivery {
  public:
    // The output begins with `beginning`. It is written to the file `path`, compressed according to its name,
    // or to standard output for `-`. `read` is the progress of the input. Throws failure.
    delivery(const std::string& path, std::string_view beginning, std::shared_ptr<const input_progress> read);

    // Writes the block. Throws failure if an invalid row in it ends the run or the output cannot be written,
    // and closed_pipe if the reader has closed the output.
    void take(enriched_block&& block);
    void wipe() { tally_.wipe(); }
    // Writes other text, not from a block.
    void put(std::string_view text);
    // Keeps an old output file when the process is about to end without destructors.
    void abandon() { out_.reset(); }
    // Writes the rest and returns the exit code. If no row has one of the members in `scan`, the result is
    // useless and an old output file stays. It also stays if `is_whole` is false because the input ended
    // early.
    int finish(bool with_sum, const scan_choice& scan, bool is_whole);
    // Number of rows selected so far.
    std::uint64_t selected() const noexcept { return tally_.counts().selected; }

  private:
    std::optional<output> out_;
    std::optional<io::encoder> encoder_;
    tally tally_;
    bad_rows faults_;
    std::string file_;
    bool ended_line_;
    bool is_array_begun_ = false; // an array of a JSON document has begun but has no row yet
};

} // namespace fingerpost::cli::enrich
