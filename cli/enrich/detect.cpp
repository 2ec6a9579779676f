// Looks at the first line that is neither empty nor a comment.
#include "cli/enrich/detect.hpp"

#include <algorithm>

#include "cli/enrich/rows/addresses.hpp"

namespace fingerpost::cli::enrich {
namespace {

std::string_view first_line_of(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
        line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
        if (!line.empty() && line[0] != '#')
            return line;
    }
    return {};
}

} // namespace

row_kind detect_kind(std::string_view beginning, kind_hints hints) {
    const std::string_view line = first_line_of(beginning);
    const bool has_tabs = line.find('\t') != std::string_view::npos;
    if (hints.has_members)
        return row_kind::ndjson;
    if (hints.is_log)
        return row_kind::log;
    if (hints.has_columns)
        return has_tabs ? row_kind::tsv : row_kind::csv;
    if (line.starts_with('{'))
        return row_kind::ndjson;
    if (line.empty() || parse_field(line.substr(0, line.find_first_of(" \t"))))
        return line.find_first_of(" \t") == std::string_view::npos ? row_kind::lines : row_kind::log;
    // A header has names, a log line mostly an address.
    if (find_address(line, 0))
        return row_kind::log;
    if (has_tabs)
        return row_kind::tsv;
    return line.find(',') != std::string_view::npos ? row_kind::csv : row_kind::log;
}

std::string_view name_of(row_kind kind) {
    switch (kind) {
    case row_kind::csv:
        return "csv";
    case row_kind::tsv:
        return "tsv";
    case row_kind::ndjson:
        return "ndjson";
    case row_kind::lines:
        return "lines";
    case row_kind::log:
        break;
    }
    return "log";
}

} // namespace fingerpost::cli::enrich
