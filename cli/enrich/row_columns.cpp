// Converts options to columns, members and expressions.
#include "cli/enrich/row_columns.hpp"

#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "cli/enrich/header.hpp"
#include "cli/enrich/scan/make_scanner.hpp"
#include "terminal/failure.hpp"
#include "terminal/quoting.hpp"

namespace fingerpost::cli::enrich {

namespace {

std::vector<std::string> nest_of(const std::string& text) {
    const auto path = parse_json_path(text);
    std::vector<std::string> names;
    for (std::size_t i = 0; path && i < path->size() && (*path)[i].is_name(); ++i)
        names.push_back(valid_utf8((*path)[i].name));
    if (!path || names.size() != path->size() || names.size() >= max_json_depth)
        throw usage_error(fmt::format("--nest: '{}' is not a dotted path such as a.b", text));
    return names;
}

void choose_members(const std::vector<std::string>& fields, scan_choice& scan) {
    for (const std::string& text : fields) {
        auto path = parse_json_path(text);
        if (!path)
            throw usage_error(fmt::format("--field: '{}' is not a path such as a.b, a[0].b or a[].b", text));
        scan.names.push_back(text);
        scan.members.push_back(std::move(*path));
    }
    if (scan.members.size() > max_json_paths)
        throw usage_error(fmt::format("--field: at most {} are allowed", max_json_paths));
}

} // namespace

scan_choice choose_scan(const enrich_options& options, const row_layout& layout, const row_beginning& first) {
    scan_choice scan;
    scan.kind = layout.kind;
    scan.dialect = layout.dialect;
    scan.has_header = layout.has_header;
    if (first.comments)
        scan.name_line = first.comments->name_line;
    scan.which = options.which.value_or(which_address::first);
    scan.regex = options.regex;
    if (has_columns(layout.kind))
        choose_columns(options.fields, first, scan);
    else
        choose_members(options.fields, scan);
    if (!options.nest.empty())
        scan.nest = nest_of(options.nest);
    // Reports an invalid regular expression before anything is written.
    (void)make_scanner(scan);
    return scan;
}

} // namespace fingerpost::cli::enrich
