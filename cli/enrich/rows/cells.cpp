// The quoting rules of each output style.
#include "cli/enrich/rows/cells.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "terminal/quoting.hpp"

namespace fingerpost::cli::enrich {
namespace {

// Quotes by RFC 4180, also with other delimiters.
void put_quoted_field(char delimiter, std::string_view text, std::string& out) {
    const bool plain = text.find_first_of("\"\r\n") == std::string_view::npos &&
                       text.find(delimiter) == std::string_view::npos && (!text.empty() || is_missing(text));
    if (plain)
        out += text;
    else
        append_quoted(out, text);
}

void put_escaped(std::string_view text, std::string& out) {
    for (const char c : text) {
        switch (c) {
        case '\t':
            out += "\\t";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\\':
            out += "\\\\";
            break;
        default:
            out += c;
        }
    }
}

// A value `-` and an empty text are quoted.
void put_word(std::string_view text, std::string& out) {
    if (is_missing(text))
        out += '-';
    else if (text.empty() || text == "-" || text.find_first_of("\" \t\r\n") != std::string_view::npos)
        append_quoted(out, text);
    else
        out += text;
}

// Escapes so that Zeek reads back the value.
void put_zeek(std::string_view text, std::string& out) {
    if (text.empty())
        out += '-';
    for (const char c : text)
        if (c == '\t' || c == '\n' || c == '\r' || c == '\\' || text == "-")
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
        else
            out += c;
}

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

} // namespace

void put_pair_text(std::string_view text, bool is_name, std::string& out) {
    const auto needs_quotes = [](char c) {
        return is_control(c) || c == ' ' || c == '"' || c == '=' || c == '\\';
    };
    if ((!is_name || !text.empty()) && std::none_of(text.begin(), text.end(), needs_quotes)) {
        out += text;
        return;
    }
    out += '"';
    for (const char c : text) {
        if (is_control(c)) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
            continue;
        }
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    out += '"';
}

cell_style style_of(const row_layout& layout, log_style log) {
    switch (layout.kind) {
    case row_kind::csv:
        return cell_style::csv;
    case row_kind::tsv:
        return layout.has_comment_header ? cell_style::zeek
               : layout.dialect.quotes   ? cell_style::tsv
                                         : cell_style::tab;
    case row_kind::columns:
        return cell_style::words;
    case row_kind::ndjson:
    case row_kind::json:
        return cell_style::json;
    case row_kind::lines:
        return cell_style::tab;
    case row_kind::log:
        break;
    }
    return log == log_style::tab ? cell_style::tab : cell_style::pairs;
}

void put_json_cell(std::string_view name, std::string_view value, column_type type, std::string& out) {
    append_json_string(out += ',', name);
    append_json_cell(out += ':', value, type);
}

void put_json_list(std::string_view name, std::string_view elements, std::string& out) {
    append_json_string(out += ',', name);
    ((out += ":[") += elements) += ']';
}

void put_cell(cell_style style, std::string_view name, std::string_view value, std::string& out) {
    switch (style) {
    case cell_style::csv:
        put_quoted_field(',', value, out += ',');
        break;
    case cell_style::tsv:
        put_quoted_field('\t', value, out += '\t');
        break;
    case cell_style::json:
        put_json_cell(name, value, column_type::text, out);
        break;
    case cell_style::tab:
        put_escaped(value, out += '\t');
        break;
    case cell_style::pairs:
        put_pair_text(name, true, out += ' ');
        put_pair_text(value, false, out += '=');
        break;
    case cell_style::words:
        put_word(value, out += ' ');
        break;
    case cell_style::zeek:
        put_zeek(value, out += '\t');
    }
}

void put_name(cell_style style, std::string_view name, std::string& out) {
    put_cell(style, {}, name.empty() ? missing_cell : name, out);
}

} // namespace fingerpost::cli::enrich
