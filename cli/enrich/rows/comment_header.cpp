// Reads the lines before the first row.
#include "cli/enrich/rows/comment_header.hpp"

#include <algorithm>
#include <array>

#include "cli/enrich/rows/csv_rows.hpp"
#include "cli/enrich/rows/json_unescape.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::cli::enrich {
namespace {

constexpr std::string_view zeek_names = "#fields";
constexpr std::string_view zeek_types = "#types";
constexpr std::string_view zeek_separator = "#separator ";
constexpr std::string_view w3c_names = "#Fields:";

std::size_t comment_bytes(std::string_view text) {
    std::string_view rest = text;
    while (rest.starts_with('#'))
        take_whole_line(rest);
    return text.size() - rest.size();
}

// Reads `\x09`, or the character itself.
std::optional<char> separator_of(std::string_view text) {
    if (text.size() == 1)
        return text.front();
    if (text.size() != 4 || !text.starts_with("\\x") || hex_digit(text[2]) < 0 || hex_digit(text[3]) < 0)
        return std::nullopt;
    return static_cast<char>(hex_digit(text[2]) * 16 + hex_digit(text[3]));
}

row_layout layout_of(char delimiter, bool quotes) {
    const row_kind kind = delimiter == '\t'  ? row_kind::tsv
                          : delimiter == ',' ? row_kind::csv
                                             : row_kind::columns;
    return {kind, {delimiter, quotes}, true, true};
}

// Zeek escapes special characters, so quotes are ordinary characters.
bool read_zeek_names(std::string_view line, char separator, comment_header& into) {
    if (separator != '\t' && separator != ',' && separator != ' ')
        return false;
    into.layout = layout_of(separator, false);
    into.name_delimiter = separator;
    into.before_names = line.substr(0, zeek_names.size() + 1);
    into.names = csv_texts(line.substr(into.before_names.size()), into.layout.dialect);
    return true;
}

void read_w3c_names(std::string_view line, std::string_view first_row, comment_header& into) {
    const std::string_view names = io::trimmed(line.substr(w3c_names.size()));
    into.before_names = line.substr(0, static_cast<std::size_t>(names.data() - line.data()));
    const auto has = [](std::string_view text, char c) { return text.find(c) != std::string_view::npos; };
    into.name_delimiter = has(names, '\t') ? '\t' : has(names, ' ') || !has(names, ',') ? ' ' : ',';
    if (into.name_delimiter == ',')
        into.layout = layout_of(',', true);
    else if (has(first_row, '\t'))
        into.layout = layout_of('\t', false);
    else
        into.layout = layout_of(' ', true);
    into.names = csv_texts(names, {into.name_delimiter == '\t' ? ' ' : into.name_delimiter, true});
}

} // namespace

std::string_view take_whole_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end == std::string_view::npos ? end : end + 1);
    text.remove_prefix(line.size());
    return line;
}

std::string_view without_end(std::string_view line) {
    return line.substr(0, line.find_last_not_of("\r\n") + 1);
}

bool begins_comment_header(std::string_view text) {
    constexpr std::array beginnings{zeek_separator,
                                    zeek_names,
                                    w3c_names,
                                    std::string_view("#Version:"),
                                    std::string_view("#Software:"),
                                    std::string_view("#Date:")};
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&](std::string_view mark) { return text.starts_with(mark); });
}

bool is_name_line(std::string_view line) {
    return line.starts_with(zeek_names) || line.starts_with(w3c_names);
}

bool is_type_line(std::string_view line) {
    return line.starts_with(zeek_types);
}

std::optional<comment_header> read_comment_header(std::string_view text) {
    comment_header result;
    result.lines = text.substr(0, comment_bytes(text));
    std::string_view first_row = text.substr(result.lines.size());
    first_row = take_whole_line(first_row);
    char separator = '\t';
    for (std::string_view rest = result.lines; !rest.empty();) {
        const std::string_view line = without_end(take_whole_line(rest));
        if (is_name_line(line))
            result.name_line = line;
        if (line.starts_with(zeek_separator)) {
            const auto delimiter = separator_of(line.substr(zeek_separator.size()));
            if (!delimiter)
                return std::nullopt;
            separator = *delimiter;
        } else if (line.starts_with(zeek_names)) {
            if (!read_zeek_names(line, separator, result))
                return std::nullopt;
        } else if (line.starts_with(w3c_names)) {
            read_w3c_names(line, first_row, result);
        }
    }
    if (result.names.empty())
        return std::nullopt;
    return result;
}

bool has_row_after_comments(std::string_view text) {
    return text.find('\n', comment_bytes(text)) != std::string_view::npos;
}

} // namespace fingerpost::cli::enrich
