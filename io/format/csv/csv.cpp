// Joins lines into rows, and finds the columns by the header.
#include "io/format/csv/csv.hpp"

#include <algorithm>
#include <utility>

#include "fingerpost/net/text.hpp"
#include "io/format/csv/csv_start.hpp"
#include "io/format/parts/format_entry.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

// Limits the memory that a quote without an end can use.
constexpr std::size_t max_row_bytes = std::size_t{1} << 20;
// Longer headers are possible, but finding each column by name would take too long.
constexpr std::size_t max_csv_columns = 1000;

// In CSV, blanks around a network or an address are ignored.
std::string_view network_field(std::string_view field) {
    return trimmed(field);
}

// Masks other than a single address's end in one of these digits; few last addresses of ranges do.
bool ends_like_mask(std::string_view last) {
    return !last.empty() && std::string_view("0248:ceCE").find(last.back()) != std::string_view::npos;
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

csv_reader::csv_reader(std::string file, table_options options, bool only_tabs)
    : line_reader(fault_log(std::move(file), options.skip_bad, options.on_skip), "a table", options.policy),
      taker_(options), only_tabs_(only_tabs) {}

bool csv_reader::feed(std::string_view chunk) {
    return feed_lines(chunk, [this](std::string_view line) { return take_line(line); });
}

bool csv_reader::take_line(std::string_view line) {
    if (!is_open_) {
        row_line_ = lines_read();
        // A row whose first column is a value may begin with `#`.
        if (is_comment(line))
            return take_comment(line);
        if (trimmed(line).empty())
            return true;
        if (!has_columns_ || !separator_)
            separator_ = choose_separator(line);
        is_open_ = ends_in_quotes(line, *separator_, false);
        if (!is_open_)
            return take_row(line);
        open_.assign(line).append(line_end());
        return true;
    }
    is_open_ = ends_in_quotes(line, *separator_, true);
    open_ += line;
    if (open_.size() > max_row_bytes)
        return take_lines_apart("a quote is not closed within 1 MiB", false);
    if (is_open_) {
        open_ += line_end();
        return true;
    }
    // A missing closing quote makes the opening quote of a field on a later line close the field.
    return row_.cut(open_, *separator_) ? take_row(open_)
                                        : take_lines_apart("a quote is not closed on its line", true);
}

bool csv_reader::take_comment(std::string_view line) {
    if (has_return(line))
        return refuse_row(line, return_in_line);
    auto names = has_columns_ ? std::nullopt : names_in_comment(line);
    if (!names)
        return true;
    name_all(*names);
    const auto network = find_network(*names, taker_.options().network);
    // Other comments may begin like this one.
    if (!network || !*network)
        return true;
    has_comments_ = true;
    names_ = std::move(*names);
    return choose_columns(**network);
}

// Returns the separator of the header, or of the first row if the names are in a comment.
char csv_reader::choose_separator(std::string_view line) const {
    if (only_tabs_ || (has_comments_ && line.find('\t') != std::string_view::npos))
        return '\t';
    return has_comments_ ? ' ' : table_separator(line);
}

// Several lines were joined into one row by an unclosed quote. Takes each as its own row, except for the line
// with the quote. `is_last_open`: the last line may continue on the next one.
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
    if (ends_in_quotes(line, *separator_, false))
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

// Takes the header, or the first row of a table without one.
bool csv_reader::take_first(std::string_view row) {
    if (!row_.cut(row, *separator_))
        return fail(row, "text after a closing quote");
    const auto& fields = row_.fields();
    // Quoted fields are stored elsewhere.
    for (const std::string_view field : fields)
        if (has_return(field) && field.data() >= row.data() && field.data() <= row.data() + row.size())
            return fail(row, return_in_line);
    if (fields.size() > max_csv_columns)
        return fail(row, "more than " + std::to_string(max_csv_columns) + " columns");
    const table_options& options = taker_.options();
    const auto unnamed = unnamed_network(fields, options.network);
    is_data_ = unnamed.has_value();
    if (is_data_ && options.network.empty() && fields.size() > 1 &&
        std::all_of(fields.begin(), fields.end(),
                    [](std::string_view field) { return is_prefix_with_length(trimmed(field)); }))
        return fail(row, several_networks);
    std::vector<std::string> names;
    for (const std::string_view field : fields)
        names.emplace_back(is_data_ ? std::string_view() : trimmed(field));
    name_all(names);
    names_ = std::move(names);
    if (is_data_)
        return choose_columns(*unnamed) && take_fields(row);
    const auto network = find_network(names_, options.network);
    if (!network)
        return fail({}, network.error());
    if (!*network)
        return fail(
            row,
            advised("no column has a name such as network, prefix, cidr or subnet, and no two columns have "
                    "names such as start_ip and end_ip",
                    options.advice.network));
    return choose_columns(**network);
}

// Selects the columns to keep. The first row after a header may change them.
bool csv_reader::choose_columns(const network_columns& network) {
    network_ = network;
    const auto columns = selection_.choose(names_, network_, taker_.options().values);
    if (!columns)
        return fail({}, columns.error());
    taker_.builder().set_columns(views(*columns));
    has_columns_ = true;
    return true;
}

// The cells of the first row show which column has lengths.
bool csv_reader::begin_rows(std::span<const std::string_view> fields) {
    has_rows_ = true;
    if (!is_data_) {
        const auto network = find_network(names_, taker_.options().network, fields);
        if (network && *network && **network != network_ && !choose_columns(**network))
            return false;
    }
    report_columns();
    return true;
}

void csv_reader::report_columns() {
    if (!taker_.options().on_understood)
        return;
    std::string text = separator_ == '\t' ? "TSV" : separator_ == ' ' ? "columns separated by blanks" : "CSV";
    text += (is_data_ ? " without a header" : "") + std::string(" with column ") + names_[network_.first];
    if (network_.last)
        text += " to " + names_[*network_.last];
    else if (network_.length && !network_.rule.is_value)
        text += " and lengths in " + names_[*network_.length];
    taker_.options().on_understood(text);
}

bool csv_reader::take_fields(std::string_view row) {
    if (!row_.cut(row, *separator_))
        return refuse_row(row, "text after a closing quote");
    // Without a header, the last fields may be missing, as in geolocation feeds (RFC 8805).
    if (is_data_)
        row_.widen(names_.size());
    taker_.builder().keep_empty_texts(row_.has_quotes());
    const auto& fields = row_.fields();
    if (fields.size() != names_.size())
        return refuse_row(row, std::to_string(fields.size()) + (fields.size() == 1 ? " field" : " fields") +
                                   ", but the first row has " + std::to_string(names_.size()));
    if (!has_rows_ && !begin_rows(fields))
        return false;
    std::string_view first = network_field(fields[network_.first]);
    if (first.empty())
        return refuse_row(row, "the network is empty");
    const auto cells = selection_.of(fields);
    if (network_.length)
        if (const auto fault =
                join_length(first, network_field(fields[*network_.length]), network_.rule, joined_))
            return refuse_row(fault->text, length_reason(fault->reason));
    if (!network_.last) {
        const auto fault = taker_.add(first, cells);
        return !fault || refuse_row(fault->text, fault->reason);
    }
    const std::string_view last = network_field(fields[*network_.last]);
    if (is_data_ && ends_like_mask(last) && is_mask_beside(first, last))
        return refuse_row(row, advised("a mask, but the first row has the last address of a range",
                                       taker_.options().advice.network));
    const auto fault = taker_.add_range(first, last, cells);
    return !fault || refuse_row(fault->text, fault->reason);
}

// Explains a fault of a column that was taken for lengths only because of the first row.
std::string csv_reader::length_reason(const std::string& reason) const {
    const std::string& name = names_[*network_.length];
    return is_length_name(name) ? reason
                                : advised(reason + "; " + name + " has lengths in the first row",
                                          taker_.options().advice.network);
}

std::optional<input_error> csv_reader::complete() {
    auto error = finish_lines([this](std::string_view line) { return take_line(line); });
    if (!error && is_open_) {
        (void)take_lines_apart("a quote is not closed", false);
        error = take_error();
    }
    if (!error && has_columns_ && !has_rows_)
        report_columns();
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

// Matches `prefix "A, Inc."`. No quoted CSV field begins after a blank.
bool is_quoted_text(std::string_view line) {
    const std::size_t blank = line.find(' ');
    const std::size_t value = line.find_first_not_of(' ', std::min(blank, line.size()));
    const std::string_view word = line.substr(0, blank);
    return value != std::string_view::npos && line[value] == '"' &&
           (starts_like_prefix(word) || is_network_name(word));
}

// Whether tabs align a prefix with its next hop. As TSV, such a line would have an empty value.
bool is_aligned(const std::vector<std::string_view>& fields) {
    const auto filled = std::count_if(fields.begin(), fields.end(),
                                      [](std::string_view field) { return !trimmed(field).empty(); });
    return fields.size() > 2 && filled <= 2;
}

// Whether the line is a header with a column of networks, or a row with more than a prefix and a next hop.
bool is_csv(std::string_view line, char separator, const table_options& options) {
    if (separator != ' ' && is_quoted_text(line))
        return false;
    csv_row row;
    if (!row.cut(line, separator))
        return false;
    const auto& fields = row.fields();
    if (separator == '\t' && is_aligned(fields))
        return false;
    if (const auto unnamed = unnamed_network(fields, options.network); unnamed && separator != ' ')
        return fields.size() > 2 || unnamed->first != 0 || !options.network.empty();
    if (fields.size() < 2 && options.network.empty())
        return false;
    std::vector<std::string> names;
    for (const std::string_view field : fields)
        names.emplace_back(trimmed(field));
    if (names.size() > max_csv_columns)
        return false;
    const auto network = find_network(names, options.network);
    return network && network->has_value();
}

// Whether the line is a header with blanks between columns. With two words, it is one of plain text.
bool is_header_of_words(std::string_view line, const table_options& options) {
    csv_row row;
    if (!row.cut(line, ' '))
        return false;
    const auto& words = row.fields();
    const auto is_other = [](std::string_view word) {
        return word.starts_with('#') || starts_like_prefix(word);
    };
    return words.size() > 2 && std::none_of(words.begin(), words.end(), is_other) &&
           is_csv(line, ' ', options);
}

// Whether a line begins a table with columns. `tabs`: they are separated by tabs.
bool begins_columns(const detected_line& at, const table_options& options, bool tabs) {
    if (!at.is_first)
        return false;
    if (const auto names = names_in_comment(at.line)) {
        const auto network = find_network(*names, options.network);
        return !tabs && network && network->has_value();
    }
    const char separator = table_separator(at.line);
    if (separator == ' ')
        return !tabs && is_header_of_words(at.line, options);
    return (separator == '\t') == tabs && is_csv(at.line, separator, options);
}

// A csv_reader whose separator is always a tab.
class tsv_reader : public csv_reader {
  public:
    tsv_reader(std::string file, table_options options)
        : csv_reader(std::move(file), std::move(options), true) {}
};

} // namespace

extern const format_entry csv_format;
constinit const format_entry csv_format{
    .name = "csv",
    .summary = "a column of prefixes, or two columns with first and last addresses",
    .written_as = "csv",
    .has_line = [](const detected_line& at,
                   const table_options& options) { return begins_columns(at, options, false); },
    .open = open_reader<csv_reader>};

extern const format_entry tsv_format;
constinit const format_entry tsv_format{
    .name = "tsv",
    .summary = "like csv, with tabs between columns",
    .has_line = [](const detected_line& at,
                   const table_options& options) { return begins_columns(at, options, true); },
    .open = open_reader<tsv_reader>};

} // namespace fingerpost::io
