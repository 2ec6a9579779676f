// Quoting, escaping and aligning answers.
#include "cli/rows.hpp"

#include <algorithm>

#include "io/format/printable.hpp"

namespace fingerpost::cli {
namespace {

void pad(std::string& out, std::string_view text, std::size_t width) {
    out += text;
    if (text.size() < width)
        out.append(width - text.size(), ' ');
}

std::string_view dash_if_empty(std::string_view text) {
    return text.empty() ? "-" : text;
}

// RFC 4180. Next hops have no commas and no line ends, so that only quotes need quotes.
void put_csv(std::string& out, std::string_view text) {
    if (text.find('"') == std::string_view::npos) {
        out += text;
        return;
    }
    out += '"';
    for (const char c : text) {
        if (c == '"')
            out += '"';
        out += c;
    }
    out += '"';
}

// Control characters never get into a next hop; bytes that are not UTF-8 become U+FFFD.
void put_json(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        const std::size_t size = io::utf8_size(text);
        if (size == 0) {
            out += "\\ufffd";
            text.remove_prefix(1);
            continue;
        }
        if (text[0] == '"' || text[0] == '\\')
            out += '\\';
        out += text.substr(0, size);
        text.remove_prefix(size);
    }
    out += '"';
}

void put_json_or_null(std::string& out, std::string_view text) {
    if (text.empty())
        out += "null";
    else
        put_json(out, text);
}

void write_csv(std::span<const row> rows, std::string& out) {
    for (const row& r : rows) {
        out += r.address;
        out += ',';
        out += r.prefix;
        out += ',';
        put_csv(out, r.next_hop);
        out += '\n';
    }
}

void write_ndjson(std::span<const row> rows, std::string& out) {
    for (const row& r : rows) {
        out += R"({"address":)";
        put_json(out, r.address);
        out += R"(,"prefix":)";
        put_json_or_null(out, r.prefix);
        out += R"(,"next_hop":)";
        put_json_or_null(out, r.next_hop);
        out += "}\n";
    }
}

} // namespace

void row_writer::begin(std::string& out) const {
    if (format_ == row_format::csv)
        out += "address,prefix,next_hop\n";
}

void row_writer::write(std::span<const row> rows, std::string& out) {
    switch (format_) {
    case row_format::text:
        write_text(rows, out);
        break;
    case row_format::csv:
        write_csv(rows, out);
        break;
    case row_format::ndjson:
        write_ndjson(rows, out);
        break;
    }
}

void row_writer::write_text(std::span<const row> rows, std::string& out) {
    for (const row& r : rows) {
        address_width_ = std::max(address_width_, r.address.size());
        prefix_width_ = std::max(prefix_width_, r.prefix.size());
    }
    for (const row& r : rows) {
        pad(out, r.address, address_width_ + 2);
        pad(out, dash_if_empty(r.prefix), prefix_width_ + 2);
        out += dash_if_empty(r.next_hop);
        out += '\n';
    }
}

} // namespace fingerpost::cli
