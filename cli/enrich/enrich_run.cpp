// Runs the stages of `enrich` in order.
#include "cli/enrich/enrich_run.hpp"

#include <cstdlib>
#include <utility>

#include "cli/enrich/choose_layout.hpp"
#include "cli/enrich/enrich_tables.hpp"
#include "cli/enrich/input/row_files.hpp"
#include "cli/enrich/input/row_stream.hpp"
#include "cli/enrich/output/row_pipeline.hpp"
#include "cli/enrich/row_columns.hpp"
#include "cli/enrich/row_plan.hpp"

namespace fingerpost::cli::enrich {
namespace {

// Lets tests use blocks so small that rows are cut everywhere.
std::size_t most_block_bytes() {
    const char* const setting = std::getenv("FINGERPOST_ENRICH_BLOCK");
    const unsigned long bytes = setting != nullptr ? std::strtoul(setting, nullptr, 10) : 0;
    return bytes != 0 ? bytes : max_row_bytes;
}

} // namespace

int run(const enrich_options& options) {
    return run(options, load_tables(options, group_files(options.table.files))).code;
}

rows_outcome run(const enrich_options& options, const open_tables& tables) {
    row_files files(options.files);
    const row_layout layout = choose_layout(options, files.beginning());
    row_stream rows(std::move(files), layout, most_block_bytes());
    scan_choice scan = choose_scan(options, layout, rows.beginning());
    const row_plan plan = plan_rows(options, std::move(scan), rows.beginning(), tables.named);
    return write_rows(options, rows, plan, tables.named);
}

} // namespace fingerpost::cli::enrich
