// Detection looks at the first line that is neither empty nor a comment.
#include "cli/enrich/choose_layout.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "cli/enrich/rows/addresses.hpp"
#include "terminal/console.hpp"
#include "terminal/failure.hpp"

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

row_kind detect_kind(std::string_view beginning, const enrich_options& options) {
    const std::string_view line = first_line_of(beginning);
    const bool has_tabs = line.find('\t') != std::string_view::npos;
    if (!options.members.empty() || !options.nest.empty())
        return row_kind::ndjson;
    if (!options.regex.empty() || options.which || options.style)
        return row_kind::log;
    if (!options.fields.empty())
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

row_kind choose_kind(const enrich_options& options, std::string_view beginning) {
    if (options.kind)
        return *options.kind;
    const row_kind kind = detect_kind(beginning, options);
    if (!beginning.empty())
        report(fmt::format("{}: taken as {} (--format chooses)",
                           options.files.front() == "-" ? "stdin" : options.files.front(), name_of(kind)));
    return kind;
}

// Options that would do nothing are mistakes.
void refuse_idle_options(const enrich_options& options, row_kind kind) {
    const auto refuse = [&](bool given, const char* option) {
        if (given)
            throw usage_error(fmt::format("{}: means nothing for {}", option, name_of(kind)));
    };
    const bool is_table = has_header_row(kind);
    refuse(!is_table && !options.fields.empty(), "--field");
    refuse(!is_table && options.no_header, "--no-header");
    refuse(!is_table && options.no_quotes, "--no-quotes");
    refuse(kind != row_kind::ndjson && !options.members.empty(), "--json-field");
    refuse(kind != row_kind::log && !options.regex.empty(), "--regex");
    refuse(kind != row_kind::log && options.which.has_value(), "--which");
    refuse(kind != row_kind::log && options.style.has_value(), "--log-style");
    refuse(kind != row_kind::ndjson && !options.nest.empty(), "--nest");
    refuse(is_table && options.on_miss == miss_policy::keep, "--on-miss keep");
    if (kind == row_kind::ndjson && options.members.empty())
        throw usage_error("--json-field: say which member of the objects is an address");
}

} // namespace

row_layout choose_layout(const enrich_options& options, std::string_view beginning) {
    const row_kind kind = choose_kind(options, beginning);
    refuse_idle_options(options, kind);
    return {kind,
            {kind == row_kind::tsv ? '\t' : ',', !options.no_quotes},
            has_header_row(kind) && !options.no_header};
}

} // namespace fingerpost::cli::enrich
