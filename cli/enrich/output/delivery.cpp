// Writes the output, and reports faults and totals.
#include "cli/enrich/output/delivery.hpp"

#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "io/format/parts/printable.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli::enrich {
namespace {

// Indexed by fault.
constexpr std::array fault_kinds{"with an invalid address", "that cannot be read", "too long",
                                 "that already have an added name", "without a match"};

// Reports members and expressions that match no row, which are probably misspelt. Some rows may lack a
// member, but not all of them.
bool report_unfound(const scan_choice& scan, const row_counts& counts) {
    const std::size_t sought = scan.regex.empty() ? scan.members.size() : 1;
    bool all_found = true;
    for (std::size_t i = 0; i < sought && counts.readable != 0; ++i) {
        if ((counts.hits >> i & 1) != 0)
            continue;
        all_found = false;
        if (scan.regex.empty())
            report(fmt::format("--field: none of the {} rows has a field {}", counts.readable,
                               io::quoted(scan.names[i])));
        else
            report(fmt::format("--regex: matches none of the {} rows", counts.readable));
    }
    return all_found;
}

} // namespace

delivery::delivery(const std::string& path, std::string_view beginning,
                   std::shared_ptr<const input_progress> read)
    : tally_(std::move(read), path == "-" && is_terminal(STDOUT_FILENO)),
      faults_({fault_kinds, "{} bad rows, {} of them not shown: {}"}),
      ended_line_(beginning.empty() || beginning.back() == '\n') {
    auto encoder = io::encoder::for_name(path);
    if (!encoder)
        throw failure(path + ": " + encoder.error());
    encoder_ = std::move(*encoder);
    out_.emplace(path);
    put(beginning);
}

void delivery::put(std::string_view text) {
    if (encoder_)
        encoder_->put(text, out_->text());
    else
        out_->text() += text;
}

void delivery::take(enriched_block&& block) {
    if (block.comma && is_array_begun_ && !block.out.empty())
        block.out.erase(*block.comma, 1);
    if (block.array != array_state::unknown)
        is_array_begun_ = block.array == array_state::begun;
    // The last row of a file may lack a line end. The next file's first row must not continue its line.
    if (!ended_line_ && !block.out.empty() && block.file != file_)
        put("\n");
    if (!block.out.empty()) {
        ended_line_ = block.out.back() == '\n';
        file_ = block.file;
    }
    tally_.add(block);
    if (out_->text().empty() && !encoder_)
        out_->text() = std::move(block.out);
    else
        put(block.out);
    out_->flush();
    if (block.has_failed)
        throw failure(io::message(block.faults.first().front().second));
    if (!block.faults.is_empty())
        tally_.wipe();
    faults_.add(block.faults);
    tally_.show();
}

int delivery::finish(bool with_sum, const scan_choice& scan, bool is_whole) {
    if (encoder_)
        encoder_->finish(out_->text());
    out_->flush();
    tally_.wipe();
    faults_.report_rest();
    const bool all_found = report_unfound(scan, tally_.counts());
    if (with_sum)
        tally_.report_sum();
    if (!all_found || !is_whole)
        return exit_code::failed;
    out_->finish();
    return faults_.count() == 0 ? exit_code::ok : exit_code::bad_rows;
}

} // namespace fingerpost::cli::enrich
