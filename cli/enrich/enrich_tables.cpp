// Loads the tables and their FIBs.
#include "cli/enrich/enrich_tables.hpp"

#include <algorithm>
#include <utility>

#include "terminal/failure.hpp"

namespace fingerpost::cli::enrich {
namespace {

void refuse_two_readers(const enrich_options& options) {
    auto from_stdin = std::count(options.files.begin(), options.files.end(), "-");
    from_stdin += std::count_if(options.table.files.begin(), options.table.files.end(),
                                [](const table_file& file) { return file.path == "-"; });
    if (from_stdin > 1)
        throw usage_error("enrich: only one of the tables and the inputs can come from stdin");
}

} // namespace

open_tables load_tables(const enrich_options& options, const std::vector<file_group>& groups) {
    refuse_two_readers(options);
    open_tables result;
    for (found_table& group : find_groups(groups, options.table)) {
        result.owned.push_back(
            std::make_unique<answer_table>(std::move(group.tables), options.table, options.scheme));
        result.named.push_back({group.name, result.owned.back().get()});
    }
    return result;
}

} // namespace fingerpost::cli::enrich
