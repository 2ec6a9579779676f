// Writes the records of MRT files as rows.
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/convert/convert_formats.hpp"
#include "cli/convert/mrt_rows.hpp"
#include "io/source/file.hpp"
#include "io/source/mrt/mrt_file.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/table/damage_report.hpp"

namespace fingerpost::cli {
namespace {

// Rows from any thread, with the damage between them, which is reported in order.
class csv_part final : public io::mrt_part {
  public:
    void take(std::span<const io::mrt::entry> entries) override {
        for (const io::mrt::entry& e : entries)
            append_csv(e, rows);
    }
    void skip(const io::mrt::damage& where) override { damaged.push_back(where); }

    std::string rows;
    std::vector<io::mrt::damage> damaged;
};

// Reports skipped records that may have contained routes, and records that were not read as they declare.
void report_counts(const std::string& file, const io::mrt::counts& counted) {
    using io::mrt::skipped;
    for (const skipped kind :
         {skipped::other_record, skipped::rib_generic, skipped::other_family, skipped::other_message})
        if (counted[kind] != 0)
            report(fmt::format("{}: skipped {} {}", file, counted[kind], name_of(kind)));
    if (counted.guessed_path_ids != 0)
        report(fmt::format("{}: {} lists of prefixes have path identifiers that their records do not declare",
                           file, counted.guessed_path_ids));
}

} // namespace

int mrt_to_csv(io::file_source& source, output& out) {
    const std::string& file = source.name();
    // Written before the first row, so an invalid file produces no output.
    bool has_head = false;
    const auto write_head = [&] {
        if (!std::exchange(has_head, true))
            out.write(mrt_csv_head);
    };
    damage_report faults(file);
    const auto deliver = [&](io::mrt_part& part) {
        auto& csv = static_cast<csv_part&>(part);
        for (const io::mrt::damage& where : csv.damaged)
            faults.add(where);
        csv.damaged.clear();
        if (csv.rows.empty())
            return;
        write_head();
        out.write(csv.rows);
        csv.rows.clear();
        out.flush();
    };
    const auto outcome = io::read_mrt(source, {[] { return std::make_unique<csv_part>(); }, deliver, {}});
    const io::mrt::counts& counted = outcome.counted;
    const bool is_other_file = counted.damaged != 0 && counted.records == 0;
    if (!outcome.error && !is_other_file)
        write_head();
    // If the file could not be read to its end, the output is not moved to its place.
    out.flush();
    faults.report_sum(counted.damaged, counted.damaged_bytes);
    report_counts(file, counted);
    if (outcome.error)
        throw failure(io::message(*outcome.error));
    if (is_other_file)
        throw failure(io::message({file, 0, {}, "the file has no MRT records"}));
    out.finish();
    return counted.damaged == 0 ? exit_code::ok : exit_code::bad_rows;
}

} // namespace fingerpost::cli
