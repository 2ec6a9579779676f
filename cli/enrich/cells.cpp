// Quoting, as each form of output has it.
#include "cli/enrich/cells.hpp"

#include <fmt/format.h>
#include <iterator>

#include "io/format/printable.hpp"

namespace fingerpost::cli::enrich {
namespace {

// RFC 4180, with another delimiter if need be.
void put_quoted_field(char delimiter, std::string_view text, std::string& out) {
    const bool plain = text.find_first_of("\"\r\n") == std::string_view::npos &&
                       text.find(delimiter) == std::string_view::npos;
    if (plain) {
        out += text;
        return;
    }
    out += '"';
    for (const char c : text)
        out.append(c == '"' ? 2 : 1, c);
    out += '"';
}

// Bytes that are not UTF-8 become U+FFFD.
void put_json_string(std::string_view text, std::string& out) {
    out += '"';
    while (!text.empty()) {
        const std::size_t size = io::utf8_size(text);
        const auto lead = static_cast<unsigned char>(text[0]);
        const bool plain = size != 0 && lead >= 0x20;
        if (!plain)
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", size == 0 ? 0xfffdU : lead);
        else if (lead == '"' || lead == '\\')
            (out += '\\') += text[0];
        else
            out += text.substr(0, size);
        text.remove_prefix(plain ? size : 1);
    }
    out += '"';
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

void put_pair_value(std::string_view text, std::string& out) {
    if (text.find_first_of(" \t\r\n\"=\\") == std::string_view::npos)
        out += text;
    else
        put_json_string(text, out);
}

} // namespace

cell_style style_of(row_kind kind, bool quotes, log_style log) {
    switch (kind) {
    case row_kind::csv:
        return cell_style::csv;
    case row_kind::tsv:
        return quotes ? cell_style::tsv : cell_style::tab;
    case row_kind::ndjson:
        return cell_style::json;
    case row_kind::lines:
        return cell_style::tab;
    case row_kind::log:
        break;
    }
    return log == log_style::tab ? cell_style::tab : cell_style::pairs;
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
        put_json_string(name, out += ',');
        out += ':';
        if (value.empty())
            out += "null";
        else
            put_json_string(value, out);
        break;
    case cell_style::tab:
        put_escaped(value, out += '\t');
        break;
    case cell_style::pairs:
        (out += ' ') += name;
        put_pair_value(value, out += '=');
    }
}

void put_name(cell_style style, std::string_view name, std::string& out) {
    put_cell(style, {}, name, out);
}

} // namespace fingerpost::cli::enrich
