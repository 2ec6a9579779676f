// Checks and writes the contents of each output form.
#include "cli/writers/table_rows.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "io/format/parts/input_error.hpp"
#include "io/format/parts/json/json_cutter.hpp"
#include "io/format/parts/lines.hpp"
#include "io/format/parts/printable.hpp"
#include "io/format/parts/table_columns.hpp"
#include "io/format/parts/text_field.hpp"
#include "io/format/parts/words.hpp"
#include "terminal/failure.hpp"
#include "terminal/quoting.hpp"

namespace fingerpost::cli {
namespace {

// Each row also has a prefix; in NDJSON with the member's name.
constexpr std::size_t room_for_prefix = 64;
// The limits of the readers.
constexpr std::size_t most_csv_columns = 999;
constexpr std::size_t most_json_columns = 256;
constexpr std::size_t most_row_bytes = std::size_t{1} << 20;

std::string_view name_of(row_kind kind) {
    return kind == row_kind::text ? "text" : kind == row_kind::csv ? "CSV" : "NDJSON";
}

std::vector<std::string_view> names_of(const value_rows& values) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < values.columns(); ++i)
        names.push_back(values.name(i));
    return names;
}

// A name for the prefix column that readers do not confuse with a value column. Empty if there is none.
std::string_view network_name(const std::vector<std::string_view>& names) {
    const auto is_there = [&](std::string_view name) {
        return std::any_of(names.begin(), names.end(),
                           [&](std::string_view existing) { return io::plain_name(existing) == name; });
    };
    if (!is_there("network"))
        return is_there("prefix") ? "network" : "prefix";
    return {};
}

std::size_t longest_line(std::string_view text) {
    std::size_t longest = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        longest = std::max(longest, end);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return longest;
}

// In a CSV header, column names with another possible delimiter are quoted too.
void append_name(std::string& out, std::string_view name) {
    if (name.find_first_of(";|\t") == std::string_view::npos)
        append_csv_field(out, name);
    else
        append_quoted(out, name);
}

// Why a column cannot have this name; null if it can.
const char* name_refusal(row_kind kind, std::string_view name) {
    switch (kind) {
    case row_kind::text:
        return name.empty()            ? "has no name"
               : io::has_control(name) ? "has control characters in its name"
                                       : nullptr;
    case row_kind::csv:
        return name.empty()                                ? "has no name"
               : name != io::trimmed(name)                 ? "has blanks around its name"
               : name.find('\0') != std::string_view::npos ? "has a NUL byte in its name"
                                                           : nullptr;
    case row_kind::ndjson:
        return io::is_utf8(name) ? nullptr : "has a name that is not UTF-8";
    }
    return nullptr;
}

[[noreturn]] void refuse(row_kind kind, const std::string& reason) {
    constexpr std::string_view others[] = {"csv or ndjson", "ndjson or image", "csv or image"};
    throw failure(fmt::format("{}: {}; choose other columns with --columns, or {} as the format",
                              name_of(kind), reason, others[static_cast<std::size_t>(kind)]));
}

void check_columns(row_kind kind, const std::vector<std::string_view>& names) {
    if (kind == row_kind::text && names.size() > 1)
        refuse(kind, fmt::format("this format holds one column of values, and the table has {} ({})",
                                 names.size(), io::printable(fmt::format("{}", fmt::join(names, ", ")))));
    const std::size_t most = kind == row_kind::ndjson ? most_json_columns : most_csv_columns;
    if (names.size() > most)
        refuse(kind, fmt::format("more than {} columns", most));
    for (auto name = names.begin(); name != names.end(); ++name) {
        if (const char* const reason = name_refusal(kind, *name); reason != nullptr)
            refuse(kind, fmt::format("column {} {}", name - names.begin() + 1, reason));
        if (std::find(names.begin(), name, *name) != name)
            refuse(kind, fmt::format("two columns are called {}", io::quoted(*name)));
    }
    if (kind != row_kind::text && network_name(names).empty())
        refuse(kind, "a column of values is called network, like the column of prefixes");
}

} // namespace

table_rows::table_rows(row_kind kind, const value_rows& values, bool networks_only)
    : kind_(kind), columns_(networks_only && kind != row_kind::text ? 0 : values.columns()) {
    auto names = names_of(values);
    names.resize(columns_);
    check_columns(kind, names);
    std::vector<std::string> columns(names.begin(), names.end());
    columns.insert(columns.begin(), "prefix");
    io::find_length(columns, lengths_);
    lengths_.rule.is_value = true;
    switch (kind) {
    case row_kind::text:
        if (names[0] != "next_hop") {
            head_ = "prefix";
            io::append_text_value(head_, names[0]);
        }
        break;
    case row_kind::csv:
        head_ = network_name(names);
        for (const std::string_view name : names)
            append_name(head_ += ',', name);
        head_ += '\n';
        break;
    case row_kind::ndjson:
        start_ = fmt::format(R"({{"{}":")", network_name(names));
        for (const std::string_view name : names) {
            append_json_string(keys_.emplace_back(","), name);
            keys_.back() += ':';
        }
        break;
    }
    if (longest_line(head_) > io::max_line_bytes || head_.size() > most_row_bytes)
        refuse(kind, "the column names do not fit in a line");
}

void table_rows::put_values(const value_rows& values, next_hop row, std::string& out) const {
    if (kind_ == row_kind::text)
        return io::append_text_value(out, values.cell(row, 0));
    if (kind_ == row_kind::ndjson)
        out += '"';
    for (std::size_t i = 0; i < columns_; ++i) {
        const std::string_view cell = values.cell(row, i);
        if (kind_ == row_kind::csv) {
            append_csv_cell(out += ',', cell);
            continue;
        }
        append_json_cell(out += keys_[i], cell, values.type(i));
    }
    out += kind_ == row_kind::csv ? "\n" : "}\n";
}

std::string table_rows::refusal(std::string_view cell) const {
    switch (kind_) {
    case row_kind::text:
        if (io::has_control(cell))
            return "has control characters, which text cannot have; use csv or ndjson";
        break;
    case row_kind::csv:
        if (cell.find('\0') != std::string_view::npos)
            return "has a NUL byte, which CSV cannot have; use ndjson";
        break;
    case row_kind::ndjson:
        if (!io::is_utf8(cell))
            return "is not valid UTF-8, which JSON requires; use csv or image";
        break;
    }
    return {};
}

std::string table_rows::refusal(const value_rows& values, next_hop row) const {
    for (std::size_t i = 0; i < columns_; ++i) {
        const std::string_view cell = values.cell(row, i);
        if (const std::string reason = refusal(cell); !reason.empty())
            return io::quoted(cell) + " " + reason;
    }
    std::string text;
    put_values(values, row, text);
    const std::size_t size = kind_ == row_kind::ndjson ? text.size() : longest_line(text);
    const std::size_t most = kind_ == row_kind::ndjson ? io::max_object_bytes : io::max_line_bytes;
    if (size + room_for_prefix > most || text.size() + room_for_prefix > most_row_bytes)
        return fmt::format("{} makes a row of {} bytes, more than readers of {} accept; use {}",
                           io::quoted(values.cell(row, 0)), text.size(), name_of(kind_),
                           kind_ == row_kind::ndjson ? "image" : "ndjson or image");
    return {};
}

std::string table_rows::refusal(std::string_view where, const value_rows& values, next_hop row) const {
    if (!lengths_.length)
        return {};
    const std::size_t column = *lengths_.length - 1;
    const std::string_view cell = io::trimmed(values.cell(row, column));
    std::string room;
    const auto fault = io::join_length(where, cell, lengths_.rule, room);
    if (!fault)
        return {};
    return fmt::format("{} in column {} would contradict the prefix; choose other columns with --columns",
                       io::quoted(cell), io::quoted(values.name(column)));
}

void table_rows::add(std::string_view where, const value_rows& values, next_hop row, std::string& out) {
    out.append(start_).append(where);
    out += texts_.get(values, row, [&](std::string& to) { put_values(values, row, to); });
}

} // namespace fingerpost::cli
