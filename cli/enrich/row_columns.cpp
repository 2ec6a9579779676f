// Options to columns, members and expressions.
#include "cli/enrich/row_columns.hpp"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "cli/enrich/header.hpp"
#include "cli/enrich/scan/make_scanner.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli::enrich {

scan_choice choose_scan(const enrich_options& options, const row_layout& layout, const row_beginning& first) {
    scan_choice scan;
    scan.kind = layout.kind;
    scan.dialect = layout.dialect;
    scan.has_header = layout.has_header;
    scan.which = options.which.value_or(log_which::first);
    scan.regex = options.regex;
    if (has_header_row(layout.kind))
        choose_columns(options.fields, first, scan);
    for (const std::string& text : options.members) {
        auto path = parse_json_path(text);
        if (!path)
            throw usage_error(fmt::format("--json-field: '{}' has an empty name", text));
        scan.names.push_back(text);
        scan.members.push_back(std::move(*path));
    }
    if (scan.members.size() > max_json_paths)
        throw usage_error(fmt::format("--json-field: at most {} can be named", max_json_paths));
    // A regular expression that is none is told before anything is written.
    (void)make_scanner(scan);
    return scan;
}

} // namespace fingerpost::cli::enrich
