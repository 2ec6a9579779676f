// The messages for what an MRT table lacks.
#include "terminal/table/load_mrt.hpp"

#include <fmt/format.h>
#include <utility>

#include "terminal/console.hpp"
#include "terminal/failure.hpp"
#include "terminal/table/damage_report.hpp"

namespace fingerpost::cli {

mrt_table load_mrt(io::file_source& source, const io::table_options& options, const io::mrt_choice& choice) {
    const std::string& file = source.name();
    io::mrt_report found;
    auto tables = io::load_mrt_table(source, options, choice, &found);
    damage_report told(file);
    for (const io::mrt::damage& where : found.damaged)
        told.add(where);
    told.report_sum(found.counted.damaged, found.counted.damaged_bytes);
    if (!tables)
        throw failure(io::message(tables.error()));
    using io::mrt::skipped;
    for (const skipped kind : {skipped::other_record, skipped::rib_generic})
        if (found.counted[kind] != 0)
            report(fmt::format("{}: skipped {} {}", file, found.counted[kind], name_of(kind)));
    if (found.multicast != 0)
        report(fmt::format("{}: skipped {} entries of multicast tables", file, found.multicast));
    if (found.updates != 0)
        report(fmt::format("{}: skipped {} updates between the entries of tables", file, found.updates));
    const auto& counts = tables->ipv4.counts;
    if (counts.other_family != 0)
        report(fmt::format("{}: {} entries of the other family skipped", file, counts.other_family));
    return {std::move(*tables), found.counted.damaged != 0};
}

} // namespace fingerpost::cli
