// Quotes, escapes and aligns answers.
#include "cli/answers/answer_rows.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "io/format/parts/input_error.hpp"
#include "io/format/parts/printable.hpp"

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

std::string json_member(char before, std::string_view name) {
    std::string member(1, before);
    append_json_string(member, name);
    return member += ':';
}

void put_json_or_null(std::string& out, std::string_view text) {
    if (text.empty())
        out += "null";
    else
        append_json_string(out, text);
}

} // namespace

row_writer::row_writer(row_format format, bool with_errors, answer_names names)
    : format_(format), with_errors_(with_errors), names_(std::move(names)), columns_(names_.columns.size()),
      address_member_(json_member('{', names_.address)), prefix_member_(json_member(',', names_.prefix)),
      error_member_(json_member(',', names_.error)),
      layout_{.values = std::vector<std::size_t>(columns_ == 0 ? 0 : columns_ - 1, 1)} {
    for (const std::string& name : names_.columns)
        members_.push_back(json_member(',', name));
    put_values({}, no_values_);
}

void row_writer::begin(std::string& out) const {
    if (format_ == row_format::json)
        out += '[';
    if (format_ != row_format::csv)
        return;
    append_csv_field(out, names_.address);
    const auto put = [&](std::string_view name) { append_csv_field(out += ',', name); };
    put(names_.prefix);
    for (const std::string& name : names_.columns)
        put(name);
    if (with_errors_)
        put(names_.error);
    out += '\n';
}

void row_writer::end(std::string& out) const {
    if (format_ == row_format::json)
        out += "]\n";
}

void row_writer::write(std::span<const row> rows, std::string& out) {
    for (const row& r : rows)
        matched_ += r.prefix.empty() ? 0 : 1;
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
    case row_format::json:
        write_json(rows, out);
        break;
    case row_format::lines:
        write_lines(rows, out);
        break;
    }
}

void row_writer::put_values(const row& r, std::string& out) const {
    for (std::size_t i = 0; i < columns_; ++i) {
        if (format_ == row_format::csv) {
            out += ',';
            append_csv_cell(out, r.value(i));
        } else {
            out += members_[i];
            r.append_json(i, out);
        }
    }
}

void row_writer::copy_values(const row& r, std::string& out) {
    if (r.values == nullptr)
        out += no_values_;
    else if (!keeps_texts_ || !r.values->has_rows())
        put_values(r, out);
    else
        out += texts_.get(*r.values, r.number, [&](std::string& to) { put_values(r, to); });
}

void row_writer::put_object(const row& r, std::string& out) {
    out += address_member_;
    append_json_string(out, r.address);
    out += prefix_member_;
    put_json_or_null(out, r.prefix);
    copy_values(r, out);
    if (!r.error.empty()) {
        out += error_member_;
        append_json_string(out, r.error);
    }
    out += '}';
}

void row_writer::write_ndjson(std::span<const row> rows, std::string& out) {
    for (const row& r : rows) {
        put_object(r, out);
        out += '\n';
    }
}

void row_writer::write_json(std::span<const row> rows, std::string& out) {
    for (const row& r : rows) {
        if (!std::exchange(layout_.is_first, false))
            out += ",\n";
        put_object(r, out);
    }
}

// A value must not look like the end of a line or the start of the next one.
void row_writer::write_lines(std::span<const row> rows, std::string& out) const {
    for (const row& r : rows) {
        if (!r.error.empty()) {
            out += "! ";
            out += io::printable(r.error);
        } else if (r.prefix.empty()) {
            out += '-';
        } else {
            out += r.prefix;
            for (std::size_t i = 0; i < columns_; ++i) {
                out += '\t';
                out += io::printable(r.value(i));
            }
        }
        out += '\n';
    }
}

void row_writer::write_csv(std::span<const row> rows, std::string& out) {
    for (const row& r : rows) {
        // A valid address needs no quoting.
        if (r.error.empty())
            out += r.address;
        else
            append_csv_field(out, r.address);
        out += ',';
        out += r.prefix;
        copy_values(r, out);
        if (with_errors_) {
            out += ',';
            append_csv_field(out, r.error);
        }
        out += '\n';
    }
}

void row_writer::write_text_header(std::string& out) const {
    pad(out, names_.address, layout_.address + 2);
    pad(out, names_.prefix, layout_.prefix + 2);
    for (std::size_t i = 0; i < layout_.values.size(); ++i)
        pad(out, io::printable(names_.columns[i]), layout_.values[i] + 2);
    out += io::printable(names_.columns.back());
    out += '\n';
}

// For people at a terminal: escapes unprintable characters. Invalid addresses are cut and do not widen their
// column.
void row_writer::write_text(std::span<const row> rows, std::string& out) {
    if (rows.empty())
        return;
    std::vector<std::string> wrong;
    if (layout_.is_first && has_text_header()) {
        layout_.address = names_.address.size();
        layout_.prefix = names_.prefix.size();
        for (std::size_t i = 0; i < layout_.values.size(); ++i)
            layout_.values[i] = io::printable(names_.columns[i]).size();
    }
    for (const row& r : rows) {
        if (!r.error.empty())
            wrong.push_back(io::quoted(r.address));
        else
            layout_.address = std::max(layout_.address, r.address.size());
        layout_.prefix = std::max(layout_.prefix, r.prefix.size());
        for (std::size_t i = 0; i < layout_.values.size(); ++i)
            layout_.values[i] = std::max(layout_.values[i], io::printable(r.value(i)).size());
    }
    if (std::exchange(layout_.is_first, false) && has_text_header())
        write_text_header(out);
    if (!first_layout_)
        first_layout_ = layout_;
    auto next_wrong = wrong.begin();
    for (const row& r : rows) {
        const std::string_view address = r.error.empty() ? r.address : *next_wrong++;
        pad(out, address, std::max(layout_.address, address.size()) + 2);
        pad(out, dash_if_empty(r.prefix), layout_.prefix + 2);
        for (std::size_t i = 0; i < layout_.values.size(); ++i)
            pad(out, io::printable(dash_if_empty(r.value(i))), layout_.values[i] + 2);
        if (columns_ != 0)
            out += io::printable(dash_if_empty(r.value(columns_ - 1)));
        if (!r.error.empty())
            out += "  # " + io::printable(r.error);
        out += '\n';
    }
}

} // namespace fingerpost::cli
