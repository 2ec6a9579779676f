// Names and numbers of columns.
#include "cli/enrich/header.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/enrich/rows/cells.hpp"
#include "cli/enrich/rows/csv_rows.hpp"
#include "io/format/parts/input_error.hpp"
#include "terminal/failure.hpp"
#include "terminal/table/column_names.hpp"

namespace fingerpost::cli::enrich {
namespace {

// A number from 1 to `most` as one from 0.
std::optional<std::size_t> number_of(const std::string& text, std::size_t most) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number == 0 || number > most)
        return std::nullopt;
    return number - 1;
}

// The number of a column, from 0: by the name in the header, else by its number in rows of so many.
std::size_t column_of(const std::string& field, const std::vector<std::string>& header, std::size_t width) {
    const auto named = std::find(header.begin(), header.end(), field);
    if (named != header.end()) {
        if (std::find(named + 1, header.end(), field) != header.end())
            throw usage_error(
                fmt::format("--field: there are two columns '{}'; give the number of one", field));
        return static_cast<std::size_t>(named - header.begin());
    }
    if (const auto number = number_of(field, width))
        return *number;
    if (!header.empty())
        throw usage_error(
            fmt::format("--field: there is no column '{}'; there are {}", field, fmt::join(header, ", ")));
    if (number_of(field, std::numeric_limits<std::size_t>::max()))
        throw usage_error(fmt::format("--field: there is no column {}; the first row has {}", field, width));
    throw usage_error(fmt::format("--field: without a header '{}' must be the number of a column", field));
}

std::string_view without_end(std::string_view header) {
    return header.substr(0, header.find_last_not_of("\r\n") + 1);
}

// The fields of a row as they stand there.
std::vector<std::string_view> raw_fields(std::string_view row, std::size_t width, csv_dialect dialect) {
    std::vector<std::size_t> wanted(width);
    std::iota(wanted.begin(), wanted.end(), std::size_t{0});
    std::vector<std::string_view> fields(width);
    read_csv_row(row.data(), row.data() + row.size(), dialect, wanted, fields);
    return fields;
}

// By the renamings that meet no added column.
std::vector<std::string> renamed(std::vector<std::string> names, const column_plan& plan) {
    for (const renaming& one : plan.unmet) {
        const auto number = number_of(one.from, names.size());
        if (!number)
            throw usage_error(no_such_name(one.from, plan.names()));
        names[*number] = one.to;
    }
    return names;
}

// `names`: those of the rows, then those that are added.
void refuse_equal_names(const std::vector<std::string>& names, std::size_t width) {
    const auto equal = find_equal(names);
    if (!equal)
        return;
    const std::string hint = rename_hint(std::to_string(equal->first + 1));
    const std::string name = io::quoted(names[equal->second]);
    if (equal->second < width)
        throw usage_error(fmt::format("the rows have two columns {}; {} renames the first", name, hint));
    throw usage_error(fmt::format(
        "the rows have a column {} already; {} gives the added one another name, {} that of the rows", name,
        rename_hint(names[equal->second]), hint));
}

} // namespace

void choose_columns(std::span<const std::string> fields, const row_beginning& first, scan_choice& scan) {
    std::vector<std::string> names;
    if (first.header)
        names = csv_texts(without_end(*first.header), scan.dialect);
    if (fields.empty() && !names.empty())
        throw usage_error(
            fmt::format("--field: say which column is an address; there are {}", fmt::join(names, ", ")));
    if (fields.empty())
        throw usage_error("--field: say which column is an address");
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
    const std::vector<std::string_view> raw = raw_fields(row, width, scan.dialect);
    std::string line;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i < width && names[i] == before[i])
            (line += scan.dialect.delimiter) += raw[i];
        else
            put_name(plan.style, names[i], line);
    }
    out.append(line, 1);
    out.append(header, row.size());
}

} // namespace fingerpost::cli::enrich
