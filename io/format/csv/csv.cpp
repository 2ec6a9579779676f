// Joins lines to rows, and finds the columns by the header.
#include "io/format/csv/csv.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/format_entry.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

// Limited, because a quote that is never closed must not fill the memory.
constexpr std::size_t max_row_bytes = std::size_t{1} << 20;
// The longest line could have more, but searching each of them by name would take too long.
constexpr std::size_t max_csv_columns = 1000;

bool is_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_address(std::string_view text) {
    return parse_address<ipv4_address>(text) || parse_address<ipv6_address>(text);
}

bool is_prefix(std::string_view text) {
    return parse_prefix<ipv4_address>(text) || parse_prefix<ipv6_address>(text);
}

bool has_range(const std::vector<std::string_view>& fields) {
    return fields.size() >= 2 && ((is_digits(fields[0]) && is_digits(fields[1])) ||
                                  (is_address(fields[0]) && is_address(fields[1])));
}

// In CSV, blanks around a network or an address are ignored.
std::string_view network_field(std::string_view field) {
    return trimmed(field);
}

} // namespace

bool ends_in_quotes(std::string_view line, char separator, bool open) {
    if (line.find('"') == std::string_view::npos)
        return open;
    bool at_start = !open;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (open && line[i] == '"') {
            if (line.substr(i + 1).starts_with('"'))
                ++i;
            else
                open = false;
        } else if (!open) {
            open = at_start && line[i] == '"';
            at_start = line[i] == separator;
        }
    }
    return open;
}

char csv_separator(std::string_view row) noexcept {
    constexpr std::array<char, 4> separators{',', '\t', ';', '|'};
    std::array<std::size_t, 4> counts{};
    bool quoted = false;
    for (const char c : row) {
        quoted = quoted != (c == '"');
        for (std::size_t i = 0; i < separators.size() && !quoted; ++i)
            counts[i] += c == separators[i] ? 1 : 0;
    }
    return separators[static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) -
                                               counts.begin())];
}

bool is_csv_data(const std::vector<std::string_view>& fields) {
    return has_range(fields) || (!fields.empty() && is_prefix(trimmed(fields[0])));
}

csv_reader::csv_reader(std::string file, table_options options, bool only_tabs)
    : line_reader(fault_log(std::move(file), options.skip_bad, options.on_skip), "a table", options.policy),
      taker_(options), only_tabs_(only_tabs) {}

bool csv_reader::feed(std::string_view chunk) {
    return feed_lines(chunk, [this](std::string_view line) { return take_line(line); });
}

bool csv_reader::take_line(std::string_view line) {
    if (!is_open_) {
        row_line_ = lines_read();
        // If values come first, a row may begin like a comment.
        if (is_comment(line))
            return !has_return(line) || refuse_row(line, return_in_line);
        if (!has_columns_)
            separator_ = only_tabs_ ? '\t' : csv_separator(line);
        is_open_ = ends_in_quotes(line, separator_, false);
        if (!is_open_)
            return take_row(line);
        open_.assign(line).append(line_end());
        return true;
    }
    is_open_ = ends_in_quotes(line, separator_, true);
    open_ += line;
    if (open_.size() > max_row_bytes)
        return take_lines_apart("a quote is not closed within 1 MiB", false);
    if (is_open_) {
        open_ += line_end();
        return true;
    }
    // If a closing quote is missing, the opening quote of a field on a later line seems to close the field.
    return row_.cut(open_, separator_) ? take_row(open_)
                                       : take_lines_apart("a quote is not closed in its line", true);
}

// An unclosed quote has joined several lines to one row. Takes the lines as rows of their own, except for the
// line with the quote. `is_last_open`: the last line may continue on the next one.
bool csv_reader::take_lines_apart(const char* reason, bool is_last_open) {
    const std::string lines = std::exchange(open_, {});
    is_open_ = false;
    std::size_t at = lines.find('\n');
    bool goes_on = refuse_row(without_return(std::string_view(lines).substr(0, at)), reason);
    while (goes_on && at != std::string::npos) {
        const std::size_t end = lines.find('\n', at + 1);
        const std::string_view line = without_return(std::string_view(lines).substr(at + 1, end - at - 1));
        ++row_line_;
        at = end;
        goes_on = is_last_open && end == std::string::npos ? take_line(line) : take_single_line(line);
    }
    return goes_on;
}

bool csv_reader::take_single_line(std::string_view line) {
    if (ends_in_quotes(line, separator_, false))
        return refuse_row(line, "a quote is not closed");
    return is_comment(line) || take_row(line);
}

bool csv_reader::take_row(std::string_view row) {
    if (trimmed(row).empty())
        return true;
    if (row.find('\0') != std::string_view::npos)
        return refuse_row(row, "there is a NUL byte in the row");
    if (!has_columns_)
        return take_first(row);
    return take_fields(row);
}

// The header, or the first row of a table without one.
bool csv_reader::take_first(std::string_view row) {
    if (!row_.cut(row, separator_))
        return fail(row, "there is text behind a quote");
    const table_options& options = taker_.options();
    const auto& fields = row_.fields();
    // Fields that were in quotes are stored elsewhere.
    for (const std::string_view field : fields)
        if (has_return(field) && field.data() >= row.data() && field.data() <= row.data() + row.size())
            return fail(row, return_in_line);
    width_ = fields.size();
    if (width_ > max_csv_columns)
        return fail(row, "more than " + std::to_string(max_csv_columns) + " columns");
    const bool is_data = is_csv_data(fields);
    std::vector<std::string> names;
    for (const std::string_view field : fields)
        names.emplace_back(is_data ? std::string_view() : trimmed(field));
    name_all(names);
    std::optional<network_columns> network = network_columns{0, std::nullopt};
    if (is_data && options.network.empty()) {
        if (has_range(fields))
            network->last = 1;
    } else {
        auto found = find_network(names, options.network);
        if (!found)
            return fail({}, found.error());
        network = *found;
    }
    if (!network)
        return fail(
            row, advised("no column is named network, prefix, cidr, subnet or the like, and no two start_ip "
                         "and end_ip or the like",
                         options.advice.network));
    network_ = *network;
    const auto kept = kept_.choose(names, network_, options.values);
    if (!kept)
        return fail({}, kept.error());
    taker_.builder().set_columns(views(*kept));
    has_columns_ = true;
    if (options.on_understood)
        options.on_understood(std::string(separator_ == '\t' ? "TSV" : "CSV") +
                              (is_data ? " without a header" : "") + " with column " + names[network_.first] +
                              (network_.last ? " to " + names[*network_.last] : ""));
    return !is_data || take_fields(row);
}

bool csv_reader::take_fields(std::string_view row) {
    if (!row_.cut(row, separator_))
        return refuse_row(row, "there is text behind a quote");
    const auto& fields = row_.fields();
    if (fields.size() != width_)
        return refuse_row(row, std::to_string(fields.size()) + (fields.size() == 1 ? " field" : " fields") +
                                   ", but the first row has " + std::to_string(width_));
    const std::string_view first = network_field(fields[network_.first]);
    if (first.empty())
        return refuse_row(row, "there is no network");
    const auto cells = kept_.of(fields);
    const auto fault = network_.last ? taker_.add_range(first, network_field(fields[*network_.last]), cells)
                                     : taker_.add(first, cells);
    return !fault || refuse_row(fault->text, fault->reason);
}

std::optional<input_error> csv_reader::complete() {
    auto error = finish_lines([this](std::string_view line) { return take_line(line); });
    if (!error && is_open_) {
        (void)take_lines_apart("a quote is not closed", false);
        error = take_error();
    }
    taker_.builder().count(skipped(), 0);
    return error;
}

expected<both_tables, input_error> csv_reader::finish_both() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(taker_).finish_both(lines_read());
}

expected<one_table, input_error> csv_reader::finish() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(taker_).finish(lines_read());
}

namespace {

// `prefix "A, Inc."`: behind a blank no quote of CSV begins.
bool is_quoted_text(std::string_view line) {
    const std::size_t blank = line.find(' ');
    const std::size_t value = line.find_first_not_of(' ', std::min(blank, line.size()));
    const std::string_view word = line.substr(0, blank);
    return value != std::string_view::npos && line[value] == '"' &&
           (starts_like_prefix(word) || is_network_name(word));
}

// Whether tabs in a row are there to align a prefix and a next hop. As TSV such a line would have an empty
// value, and nothing would tell that it is none.
bool is_aligned(const std::vector<std::string_view>& fields) {
    const auto filled = std::count_if(fields.begin(), fields.end(),
                                      [](std::string_view field) { return !trimmed(field).empty(); });
    return fields.size() > 2 && filled <= 2;
}

// A header with a column of networks, or rows of more than a prefix and a next hop.
bool is_csv(std::string_view line, const table_options& options) {
    if (is_quoted_text(line))
        return false;
    csv_row row;
    const char separator = csv_separator(line);
    if (!row.cut(line, separator))
        return false;
    const auto& fields = row.fields();
    if (separator == '\t' && is_aligned(fields))
        return false;
    if (is_csv_data(fields))
        return fields.size() > 2;
    if (fields.size() < 2 && options.network.empty())
        return false;
    std::vector<std::string> names;
    for (const std::string_view field : fields)
        names.emplace_back(trimmed(field));
    if (names.size() > 1000)
        return false;
    const auto network = find_network(names, options.network);
    return network && network->has_value();
}

// Where the separator is a tab or none.
class tsv_reader : public csv_reader {
  public:
    tsv_reader(std::string file, table_options options)
        : csv_reader(std::move(file), std::move(options), true) {}
};

} // namespace

extern const format_entry csv_format;
constinit const format_entry csv_format{
    .name = "csv",
    .summary = "columns, one of them with prefixes, or two with the ends of ranges",
    .beginning = "header",
    .written_as = "csv",
    .has_line =
        [](const detected_line& at, const table_options& options) {
            return at.is_first && csv_separator(at.line) != '\t' && is_csv(at.line, options);
        },
    .open = open_reader<csv_reader>};

extern const format_entry tsv_format;
constinit const format_entry tsv_format{.name = "tsv",
                                        .summary = "the same, separated by tabs",
                                        .has_line =
                                            [](const detected_line& at, const table_options& options) {
                                                return at.is_first && csv_separator(at.line) == '\t' &&
                                                       is_csv(at.line, options);
                                            },
                                        .open = open_reader<tsv_reader>};

} // namespace fingerpost::io
