// Implements the rules of RFC 4180 and RFC 8259.
#include "terminal/quoting.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "io/format/parts/printable.hpp"

namespace fingerpost::cli {

void append_csv_field(std::string& out, std::string_view text) {
    const auto is_special = [](char c) { return c == '"' || c == ',' || c == '\r' || c == '\n'; };
    if (std::none_of(text.begin(), text.end(), is_special)) {
        out += text;
        return;
    }
    append_quoted(out, text);
}

void append_csv_cell(std::string& out, std::string_view cell) {
    if (cell.empty())
        out += is_missing(cell) ? "" : "\"\"";
    else
        append_csv_field(out, cell);
}

void append_json_cell(std::string& out, std::string_view cell, column_type type) {
    if (is_missing(cell))
        out += "null";
    else if (type != column_type::text && common_types::of(cell).has(type))
        out += cell;
    else
        append_json_string(out, cell);
}

std::string valid_utf8(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t size = io::utf8_size(text);
        result += size != 0 ? text.substr(0, size) : std::string_view("\xef\xbf\xbd");
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return result;
}

void append_json_string(std::string& out, std::string_view text) {
    const auto is_plain_char = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
    };
    out += '"';
    while (!text.empty()) {
        const auto plain = static_cast<std::size_t>(
            std::find_if_not(text.begin(), text.end(), is_plain_char) - text.begin());
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty())
            break;
        const std::size_t size = io::utf8_size(text);
        const auto lead = static_cast<unsigned char>(text[0]);
        if (size == 0 || lead < 0x20) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", size == 0 ? 0xfffdU : lead);
            text.remove_prefix(1);
            continue;
        }
        if (lead == '"' || lead == '\\')
            out += '\\';
        out += text.substr(0, size);
        text.remove_prefix(size);
    }
    out += '"';
}

} // namespace fingerpost::cli
