// Detects the layout from the first line that is neither empty nor a comment.
#include "cli/enrich/choose_layout.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "cli/enrich/rows/addresses.hpp"
#include "cli/enrich/rows/comment_header.hpp"
#include "cli/enrich/rows/csv_rows.hpp"
#include "cli/enrich/rows/json_line.hpp"
#include "io/format/parts/words.hpp"
#include "io/source/compression/codec.hpp"
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

bool holds(std::string_view text, char c) {
    return text.find(c) != std::string_view::npos;
}

// Whether the line has columns between blanks and --field names words of it, or columns by number without a
// header.
bool are_words(const enrich_options& options, std::string_view line) {
    if (!holds(line, ' ') || holds(line, ',') || holds(line, '\t'))
        return false;
    const std::vector<std::string> words = csv_texts(line, {' ', !options.no_quotes});
    return options.no_header ||
           std::any_of(options.fields.begin(), options.fields.end(), [&](const auto& field) {
               return std::find(words.begin(), words.end(), field) != words.end();
           });
}

// Whether an address stands between other words before any comma. A header has names there.
bool is_log_line(std::string_view line) {
    const std::string_view beginning = line.substr(0, line.find(','));
    return holds(beginning, ' ') && find_address(beginning, 0);
}

std::string first_name(const enrich_options& options) {
    return options.files.front() == "-" ? "stdin" : options.files.front();
}

// A document begins with an array of objects, with the member that contains the rows of AWS and Azure logs,
// or with a line that ends inside a value.
bool begins_document(std::string_view text) {
    const auto take = [&](std::string_view part) {
        text.remove_prefix(std::min(text.find_first_not_of(json_blanks), text.size()));
        const bool is_there = text.starts_with(part);
        text.remove_prefix(is_there ? part.size() : 0);
        return is_there;
    };
    if (take("["))
        return take("{") || take("]") || text.empty();
    const std::string_view line = text.substr(0, text.find_last_not_of(json_blanks, text.find('\n')) + 1);
    if (!take("{"))
        return false;
    if (text.find('\n') != std::string_view::npos && (line.ends_with('{') || line.ends_with('[')))
        return true;
    return (take("\"Records\"") || take("\"records\"")) && take(":") && take("[");
}

row_kind detect_kind(std::string_view beginning, const enrich_options& options) {
    const std::string_view line = first_line_of(beginning);
    if (!options.regex.empty() || options.style)
        return row_kind::log;
    const bool has_fields = !options.fields.empty() || !options.nest.empty();
    if (begins_document(beginning) && (has_fields || !options.which))
        return row_kind::json;
    if (!options.nest.empty() || (has_fields && line.starts_with('{')))
        return row_kind::ndjson;
    if (has_fields && holds(line, '\t'))
        return row_kind::tsv;
    if (has_fields && are_words(options, line))
        return row_kind::columns;
    if (has_fields && !options.no_header && is_log_line(line))
        throw usage_error(fmt::format("--field does not apply to log lines; leave it out (--which or --regex "
                                      "chooses the address), or give the format of {} with --format",
                                      first_name(options)));
    if (has_fields)
        return row_kind::csv;
    if (options.which)
        return row_kind::log;
    if (line.starts_with('{'))
        return row_kind::ndjson;
    if (line.empty() || parse_field(line.substr(0, line.find_first_of(" \t"))))
        return line.find_first_of(" \t") == std::string_view::npos ? row_kind::lines : row_kind::log;
    // A header has names; most log lines have an address.
    if (find_address(line, 0))
        return row_kind::log;
    if (holds(line, '\t'))
        return row_kind::tsv;
    return holds(line, ',') ? row_kind::csv : row_kind::log;
}

std::string_view name_of(row_kind kind) {
    switch (kind) {
    case row_kind::csv:
        return "csv";
    case row_kind::tsv:
        return "tsv";
    case row_kind::columns:
        return "columns";
    case row_kind::ndjson:
        return "ndjson";
    case row_kind::json:
        return "json";
    case row_kind::lines:
        return "lines";
    case row_kind::log:
        break;
    }
    return "log";
}

void report_choice(const enrich_options& options, std::string_view what) {
    notice(fmt::format("{}: read as {} (use --format to change)", first_name(options), what));
}

row_kind choose_kind(const enrich_options& options, std::string_view beginning) {
    if (options.kind)
        return *options.kind;
    const row_kind kind = detect_kind(beginning, options);
    if (!beginning.empty())
        report_choice(options, name_of(kind));
    return kind;
}

// The layout of rows with a header in comments, unless the options contradict it.
std::optional<row_layout> choose_by_comments(const enrich_options& options, std::string_view beginning) {
    const bool is_other =
        options.kind ? !has_columns(*options.kind)
                     : !options.nest.empty() || !options.regex.empty() || options.style || options.no_header;
    if (is_other || !begins_comment_header(beginning))
        return std::nullopt;
    const auto header = read_comment_header(beginning);
    if (!header || (options.kind && *options.kind != header->layout.kind))
        return std::nullopt;
    if (!options.kind)
        report_choice(options, fmt::format("{} with the names in {}", name_of(header->layout.kind),
                                           io::trimmed(header->before_names)));
    row_layout layout = header->layout;
    layout.dialect.quotes = layout.dialect.quotes && !options.no_quotes;
    return layout;
}

// Refuses options without effect, which are mistakes.
void refuse_idle_options(const enrich_options& options, row_kind kind) {
    const auto refuse = [&](bool is_given, const char* option) {
        if (is_given)
            throw usage_error(fmt::format("{} does not apply to {}", option, name_of(kind)));
    };
    const bool is_table = has_columns(kind);
    refuse(!is_table && !has_members(kind) && !options.fields.empty(), "--field");
    refuse(!is_table && options.no_header, "--no-header");
    refuse(!is_table && options.no_quotes, "--no-quotes");
    refuse(kind != row_kind::log && !options.regex.empty(), "--regex");
    refuse(kind != row_kind::log && options.style.has_value(), "--log-style");
    refuse(!has_members(kind) && !options.nest.empty(), "--nest");
    refuse(is_table && options.on_miss == miss_policy::keep, "--on-miss keep");
    if (has_members(kind) && options.fields.empty())
        throw usage_error("--field: name the field with the address, such as client.ip");
}

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> suffixes) {
    return std::any_of(suffixes.begin(), suffixes.end(),
                       [&](std::string_view suffix) { return name.ends_with(suffix); });
}

// Refuses an output whose name promises another format than that of the rows, which is the one written.
void refuse_other_suffix(const enrich_options& options, row_kind kind) {
    std::string_view name = options.output;
    for (const io::codec* const codec : io::all_codecs())
        if (name.ends_with(codec->write.suffix))
            name.remove_suffix(codec->write.suffix.size());
    if (ends_with_any(name, {".parquet", ".pq", ".arrow", ".arrows", ".feather", ".ipc"}))
        throw usage_error(fmt::format("--output: {}: `python -m fingerpost enrich` writes Parquet and Arrow",
                                      options.output));
    if (has_members(kind) ? ends_with_any(name, {".csv", ".tsv", ".tab"})
                          : ends_with_any(name, {".json", ".jsonl", ".ndjson"}))
        throw usage_error(
            fmt::format("--output: {}: the output is {}, as the rows are", options.output, name_of(kind)));
}

} // namespace

row_layout choose_layout(const enrich_options& options, std::string_view beginning) {
    const auto header_layout = choose_by_comments(options, beginning);
    const row_kind kind = header_layout ? header_layout->kind : choose_kind(options, beginning);
    refuse_idle_options(options, kind);
    refuse_other_suffix(options, kind);
    if (header_layout)
        return *header_layout;
    const char delimiter = kind == row_kind::tsv ? '\t' : kind == row_kind::columns ? ' ' : ',';
    return {kind, {delimiter, !options.no_quotes}, has_columns(kind) && !options.no_header};
}

} // namespace fingerpost::cli::enrich
