// Writes one difference at a time.
#include "cli/diff/difference_writer.hpp"

#include <fmt/format.h>
#include <iterator>

#include "io/format/parts/input_error.hpp"
#include "io/format/parts/printable.hpp"
#include "io/format/updates/update_line.hpp"
#include "terminal/failure.hpp"
#include "terminal/quoting.hpp"

namespace fingerpost::cli {
namespace {

std::string_view name_of(difference_kind kind) {
    return kind == difference_kind::added     ? "added"
           : kind == difference_kind::removed ? "removed"
                                              : "changed";
}

void append_fields(std::span<const std::string_view> cells, std::size_t columns, std::string& out) {
    for (std::size_t i = 0; i < columns; ++i) {
        out += ',';
        if (!cells.empty())
            append_csv_cell(out, cells[i]);
    }
}

void append_utf8(std::string_view where, std::string_view text, column_type type, std::string& out) {
    if (!io::is_utf8(text))
        throw failure(fmt::format("{}: {} is not valid UTF-8, which JSON requires; choose --format csv",
                                  where, io::quoted(text)));
    append_json_cell(out, text, type);
}

} // namespace

void difference_writer::begin(std::string& out) const {
    if (format_ != diff_format::csv)
        return;
    out += "change,prefix";
    for (const std::string_view side : {"before", "after"})
        for (const std::string& name : columns_) {
            out += ',';
            append_csv_field(out, columns_.size() == 1 ? std::string(side)
                                                       : std::string(side).append(".").append(name));
        }
    out += '\n';
}

void difference_writer::add(difference_kind kind, std::string_view where, texts before, texts after,
                            std::string& out) {
    switch (format_) {
    case diff_format::text:
        return add_update(kind, where, after, out);
    case diff_format::csv:
        return add_csv_row(kind, where, before, after, out);
    case diff_format::ndjson:
        return add_object(kind, where, before, after, out);
    case diff_format::summary:
        return;
    }
}

void difference_writer::add_update(difference_kind kind, std::string_view where, texts after,
                                   std::string& out) {
    const auto check = [](std::string_view what, texts cells) {
        const char* const reason = io::update_refusal(cells);
        if (reason == nullptr)
            return;
        std::string_view culprit = cells[0];
        for (const std::string_view cell : cells)
            if (io::update_refusal(std::span(&cell, 1)) != nullptr)
                culprit = cell;
        throw failure(
            fmt::format("{} {} {}; choose --format csv or ndjson", what, io::quoted(culprit), reason));
    };
    if (!has_begun_ && (columns_.size() > 1 || columns_[0] != "next_hop")) {
        const std::vector<std::string_view> names(columns_.begin(), columns_.end());
        check("the name of the column", names);
        io::append_update_header(names, out);
    }
    has_begun_ = true;
    if (kind == difference_kind::removed)
        return io::append_withdrawal(where, out);
    check(fmt::format("{}: the value", where), after);
    io::append_announcement(where, after, out);
}

void difference_writer::add_csv_row(difference_kind kind, std::string_view where, texts before, texts after,
                                    std::string& out) const {
    out.append(name_of(kind)).append(",").append(where);
    append_fields(before, columns_.size(), out);
    append_fields(after, columns_.size(), out);
    out += '\n';
}

// Appends the cell of a single column, or an object for several columns.
void difference_writer::add_json(std::string_view where, texts cells, std::string& out) const {
    if (cells.empty()) {
        out += "null";
        return;
    }
    if (columns_.size() == 1)
        return append_utf8(where, cells[0], types_[0], out);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        out += i == 0 ? '{' : ',';
        append_utf8(where, columns_[i], column_type::text, out);
        out += ':';
        append_utf8(where, cells[i], types_[i], out);
    }
    out += '}';
}

void difference_writer::add_object(difference_kind kind, std::string_view where, texts before, texts after,
                                   std::string& out) const {
    fmt::format_to(std::back_inserter(out), R"({{"change":"{}","prefix":"{}","before":)", name_of(kind),
                   where);
    add_json(where, before, out);
    out += R"(,"after":)";
    add_json(where, after, out);
    out += "}\n";
}

} // namespace fingerpost::cli
