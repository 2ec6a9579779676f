// Finds columns by name and number.
#include "cli/enrich/header.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/enrich/rows/cells.hpp"
#include "cli/enrich/rows/comment_header.hpp"
#include "cli/enrich/rows/csv_rows.hpp"
#include "io/format/parts/input_error.hpp"
#include "terminal/failure.hpp"
#include "terminal/table/column_names.hpp"

namespace fingerpost::cli::enrich {
namespace {

// Converts a number from 1 to `most` to a number from 0.
std::optional<std::size_t> number_of(const std::string& text, std::size_t most) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number == 0 || number > most)
        return std::nullopt;
    return number - 1;
}

// The number of a column, from 0: by its name in the header, else by its number up to `width`. Without a
// header, `column2` names the second column.
std::size_t column_of(const std::string& field, const std::vector<std::string>& header, std::size_t width) {
    const auto named = std::find(header.begin(), header.end(), field);
    if (named != header.end()) {
        if (std::find(named + 1, header.end(), field) != header.end())
            throw usage_error(
                fmt::format("--field: two columns are called '{}'; use the number of one", field));
        return static_cast<std::size_t>(named - header.begin());
    }
    constexpr std::string_view stem = "column";
    const bool has_stem = header.empty() && field.starts_with(stem);
    const std::string digits = has_stem ? field.substr(stem.size()) : field;
    if (const auto number = number_of(digits, width))
        return *number;
    if (!header.empty())
        throw usage_error(
            fmt::format("--field: no column '{}'; columns: {}", field, fmt::join(header, ", ")));
    if (number_of(digits, std::numeric_limits<std::size_t>::max()))
        throw usage_error(fmt::format("--field: no column {}; the first row has {}", digits, width));
    throw usage_error(fmt::format(
        "--field: without a header, '{}' must be a column number or column1, column2, ...", field));
}

// Applies the renamings that match no added column.
std::vector<std::string> renamed(std::vector<std::string> names, const column_plan& plan) {
    for (const renaming& change : plan.unmet) {
        const auto number = number_of(change.from, names.size());
        if (!number)
            throw usage_error(no_such_name(change.from, plan.names()));
        names[*number] = change.to;
    }
    return names;
}

// `names` are the names of the rows' columns, then those of the added columns.
void refuse_equal_names(const std::vector<std::string>& names, std::size_t width) {
    const auto equal = find_equal(names);
    if (!equal)
        return;
    const std::string hint = rename_hint(std::to_string(equal->first + 1));
    const std::string name = io::quoted(names[equal->second]);
    if (equal->second < width)
        throw usage_error(fmt::format("the rows have two columns {}; {} renames the first", name, hint));
    throw usage_error(
        fmt::format("the rows already have a column {}; {} renames the added one, {} that of the rows", name,
                    rename_hint(names[equal->second]), hint));
}

} // namespace

void choose_columns(std::span<const std::string> fields, const row_beginning& first, scan_choice& scan) {
    std::vector<std::string> names;
    if (first.header)
        names = csv_texts(without_end(*first.header), scan.dialect);
    else if (first.comments)
        names = first.comments->names;
    if (fields.empty() && !names.empty())
        throw usage_error(
            fmt::format("--field: name the column with the address; columns: {}", fmt::join(names, ", ")));
    if (fields.empty())
        throw usage_error("--field: give the number of the column with the address");
    scan.width = first.width;
    // An empty input has neither columns nor rows.
    const bool is_empty = scan.width == 0;
    for (const std::string& field : fields) {
        const std::size_t column =
            is_empty && scan.has_header ? 0 : column_of(field, names, is_empty ? max_row_bytes : scan.width);
        scan.columns.push_back(column);
        scan.names.push_back(column < names.size() ? names[column] : field);
    }
}

void put_header(const std::string& header, const scan_choice& scan, const column_plan& plan,
                std::string& out) {
    const std::string_view row = without_end(header);
    const std::vector<std::string> before = csv_texts(row, scan.dialect);
    std::vector<std::string> names = renamed(before, plan);
    const std::size_t width = names.size();
    for (std::string& name : plan.names())
        names.push_back(std::move(name));
    refuse_equal_names(names, width);
    const std::vector<std::string_view> raw = csv_fields(row, scan.dialect);
    // Text between and around the names is kept.
    const char* at = row.data();
    for (std::size_t i = 0; i < width; ++i) {
        out.append(at, raw[i].data());
        at = raw[i].data() + raw[i].size();
        std::string name; // with a leading delimiter, which is not needed
        put_name(plan.style, names[i], name);
        out += names[i] == before[i] ? raw[i] : std::string_view(name).substr(1);
    }
    for (std::size_t i = width; i < names.size(); ++i)
        put_name(plan.style, names[i], out);
    out.append(at, header.data() + header.size());
}

namespace {

void put_zeek_types(const column_plan& plan, char delimiter, std::string& out) {
    for (const field_columns& field : plan.fields)
        for (const column_group& group : field)
            for (const added_column& column : group.columns)
                (out += delimiter) += !group.table ? "addr" : column.value ? "string" : "subnet";
}

} // namespace

void put_comment_header(const comment_header& header, const column_plan& plan, std::string& out) {
    std::vector<std::string> names = renamed(header.names, plan);
    const std::size_t width = names.size();
    for (std::string& name : plan.names()) {
        std::replace_if(
            name.begin(), name.end(), [](char c) { return c == ' ' || c == '\t'; }, '_');
        names.push_back(std::move(name));
    }
    refuse_equal_names(names, width);
    for (std::string_view rest = header.lines; !rest.empty();) {
        const std::string_view line = take_whole_line(rest);
        const std::string_view text = without_end(line);
        if (is_name_line(text))
            out += fmt::format("{}{}", header.before_names,
                               fmt::join(names, std::string(1, header.name_delimiter)));
        else
            out += text;
        if (is_type_line(text))
            put_zeek_types(plan, header.name_delimiter, out);
        out += line.substr(text.size());
    }
}

} // namespace fingerpost::cli::enrich
