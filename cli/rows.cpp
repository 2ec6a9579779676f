// Quoting, escaping and aligning answers.
#include "cli/rows.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <vector>

#include "io/format/input_error.hpp"
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

// RFC 4180.
void put_csv(std::string& out, std::string_view text) {
    const auto is_special = [](char c) { return c == '"' || c == ',' || c == '\r' || c == '\n'; };
    if (std::none_of(text.begin(), text.end(), is_special)) {
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

// Bytes that are not UTF-8 become U+FFFD.
void put_json(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
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

void put_json_or_null(std::string& out, std::string_view text) {
    if (text.empty())
        out += "null";
    else
        put_json(out, text);
}

void write_ndjson(std::span<const row> rows, std::string& out) {
    for (const row& r : rows) {
        out += R"({"address":)";
        put_json(out, r.address);
        out += R"(,"prefix":)";
        put_json_or_null(out, r.prefix);
        out += R"(,"next_hop":)";
        put_json_or_null(out, r.next_hop);
        if (!r.error.empty()) {
            out += R"(,"error":)";
            put_json(out, r.error);
        }
        out += "}\n";
    }
}

} // namespace

void row_writer::begin(std::string& out) const {
    if (format_ == row_format::csv)
        out += with_errors_ ? "address,prefix,next_hop,error\n" : "address,prefix,next_hop\n";
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

void row_writer::write_csv(std::span<const row> rows, std::string& out) const {
    for (const row& r : rows) {
        // No address has anything to quote.
        if (r.error.empty())
            out += r.address;
        else
            put_csv(out, r.address);
        out += ',';
        out += r.prefix;
        out += ',';
        put_csv(out, r.next_hop);
        if (with_errors_) {
            out += ',';
            put_csv(out, r.error);
        }
        out += '\n';
    }
}

// People have it on a terminal: what is not printable is escaped, and what is no address is cut and widens no
// column.
void row_writer::write_text(std::span<const row> rows, std::string& out) {
    std::vector<std::string> wrong;
    for (const row& r : rows) {
        if (!r.error.empty())
            wrong.push_back(io::quoted(r.address));
        else
            address_width_ = std::max(address_width_, r.address.size());
        prefix_width_ = std::max(prefix_width_, r.prefix.size());
    }
    auto next_wrong = wrong.begin();
    for (const row& r : rows) {
        const std::string_view address = r.error.empty() ? r.address : *next_wrong++;
        pad(out, address, std::max(address_width_, address.size()) + 2);
        pad(out, dash_if_empty(r.prefix), prefix_width_ + 2);
        out += io::printable(dash_if_empty(r.next_hop));
        if (!r.error.empty())
            out += "  # " + io::printable(r.error);
        out += '\n';
    }
}

} // namespace fingerpost::cli
