// Detects the format of a file, and passes the file to the reader of that format.
#include "io/source/any_table.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fingerpost/image/image_format.hpp"
#include "io/format/any_reader.hpp"
#include "io/format/image/image_start.hpp"
#include "io/format/mmdb/mmdb_mark.hpp"
#include "io/format/parts/table_columns.hpp"
#include "io/format/parts/table_types.hpp"
#include "io/source/feed.hpp"

namespace fingerpost::io {
namespace {

constexpr bool is_start_of_images(std::string_view start) {
    if (start.size() != image_magic.size())
        return false;
    for (std::size_t i = 0; i < start.size(); ++i)
        if (static_cast<unsigned char>(start[i]) != image_magic[i])
            return false;
    return true;
}
static_assert(is_start_of_images(image_start));

// A MaxMind DB can begin with any bytes; it is recognised by the metadata near its end.
bool is_mmdb(const file_source& source) {
    return source.last_bytes(max_mmdb_metadata_bytes).find(mmdb_mark) != std::string::npos;
}

// Detects the format by the first bytes of a source, as few as possible, or by its end (is_mmdb()).
expected<table_format, input_error> detect(file_source& source, const table_options& options) {
    bool tried_end = false;
    for (std::size_t size = 1;;) {
        const auto start = source.peek(size);
        if (!start)
            return unexpected{start.error()};
        const bool is_binary = start->find('\0') != std::string_view::npos && !source.is_compressed();
        if (is_binary && !tried_end && !start->starts_with(image_start) && is_mmdb(source))
            return table_format::mmdb;
        tried_end = tried_end || is_binary;
        const detection result = detect_format(*start, start->size() < size, options);
        if (result.format)
            return *result.format;
        if (!result.needs_more)
            return unexpected{input_error{source.name(), 0, {}, result.reason}};
        size = start->size() + 1;
    }
}

input_error shortage(const std::string& file) {
    return {file, 0, {}, std::string(message(reason_of_exception()))};
}

// Returns the indices of the chosen columns; of all columns if none is chosen.
expected<std::vector<std::size_t>, input_error> places_of(const std::vector<std::string>& choice,
                                                          const std::vector<std::string>& columns,
                                                          const std::string& file) {
    std::vector<std::size_t> indices;
    for (const std::string& name : choice) {
        const auto match = std::find(columns.begin(), columns.end(), name);
        std::string list;
        for (const std::string& column : columns)
            list.append(list.empty() ? "" : ", ").append(column);
        if (match == columns.end())
            return unexpected{
                input_error{file, 0, {}, "no column " + io::quoted(name) + "; columns: " + list}};
        indices.push_back(static_cast<std::size_t>(match - columns.begin()));
        if (std::count(indices.begin(), indices.end(), indices.back()) > 1)
            return unexpected{input_error{file, 0, {}, named_twice(name)}};
    }
    for (std::size_t i = 0; i < columns.size() && choice.empty(); ++i)
        indices.push_back(i);
    return indices;
}

// Keeps only these columns of a table, in this order.
template <class A>
void keep_columns_at(loaded_table<A>& table, const std::vector<std::size_t>& indices) {
    std::vector<std::string_view> cells;
    for (const std::size_t index : indices)
        cells.push_back(table.values.name(index));
    value_rows values(cells);
    for (std::size_t i = 0; i < indices.size(); ++i)
        values.set_type(i, table.values.type(indices[i]));
    std::vector<next_hop> rows;
    for (std::uint32_t row = 0; row < table.values.size(); ++row) {
        for (std::size_t i = 0; i < indices.size(); ++i)
            cells[i] = table.values.cell({row}, indices[i]);
        rows.push_back(values.intern(cells));
    }
    for (route<A>& entry : table.routes)
        entry.hop = rows[entry.hop.id];
    table.values = std::move(values);
}

// Adds the names that are missing. If a table has several columns with one name, the name is added as often.
void add_names(const value_view& values, std::vector<std::string>& names) {
    std::vector<std::string> table_names;
    for (std::size_t i = 0; i < values.columns(); ++i)
        table_names.emplace_back(values.name(i));
    if (table_names.empty())
        table_names.emplace_back("next_hop");
    for (std::size_t i = 0; i < table_names.size(); ++i)
        if (std::count(table_names.begin(), table_names.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                       table_names[i]) > std::count(names.begin(), names.end(), table_names[i]))
            names.push_back(table_names[i]);
}

// Copies rows of an image, with the columns of the result, and returns their new numbers.
class row_copier {
  public:
    row_copier(const value_view& values, const std::vector<std::string>& names)
        : values_(values), cells_(names.begin(), names.end()), rows_(cells_) {
        for (std::size_t i = 0; i < names.size(); ++i) {
            columns_.push_back(column_for(names, i, values));
            is_number_.push_back(values.columns() == 0 && names[i] == "next_hop");
            if (is_number_[i])
                rows_.set_type(i, column_type::integer);
            else if (columns_[i] < values.columns())
                rows_.set_type(i, values.type(columns_[i]));
        }
    }
    next_hop copy(next_hop row) {
        const auto [entry, is_new] = numbers_.try_emplace(row.id);
        if (is_new) {
            const std::string number = std::to_string(row.id);
            for (std::size_t i = 0; i < cells_.size(); ++i)
                cells_[i] = is_number_[i]                     ? std::string_view(number)
                            : columns_[i] < values_.columns() ? values_.cell(row, columns_[i])
                                                              : missing_cell;
            entry->second = rows_.intern(cells_);
        }
        return entry->second;
    }
    value_rows take() && { return std::move(rows_); }

  private:
    value_view values_;
    std::vector<std::string_view> cells_;
    value_rows rows_;
    std::vector<std::size_t> columns_; // indices of the columns in the image
    std::vector<bool> is_number_;
    std::unordered_map<std::uint32_t, next_hop> numbers_;
};

// Routes of an image are sorted and unique.
template <class A>
void copy_family(const image<A>* source, const std::vector<std::string>& names, loaded_table<A>& table) {
    row_copier rows(source != nullptr ? source->values() : value_view(), names);
    if (source != nullptr)
        table.routes = source->copy_routes();
    for (route<A>& entry : table.routes)
        entry.hop = rows.copy(entry.hop);
    table.values = std::move(rows).take();
}

// Returns the table of the family that has routes, or that was requested.
expected<one_table, input_error> one_of(both_tables tables, const table_options& options,
                                        const std::string& file) {
    const bool has_four = !tables.ipv4.routes.empty();
    if (has_four && !tables.ipv6.routes.empty())
        return unexpected{
            input_error{file, 0, {}, advised("the file has routes of both families", options.advice.family)}};
    if (has_four || options.only == family::ipv4)
        return one_table(std::move(tables.ipv4));
    return one_table(std::move(tables.ipv6));
}

} // namespace

std::size_t column_for(const std::vector<std::string>& names, std::size_t index, const value_view& values) {
    const std::string& name = names[index];
    auto earlier = std::count(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(index), name);
    for (std::size_t i = 0; i < values.columns(); ++i)
        if (values.name(i) == name && earlier-- == 0)
            return i;
    return values.columns();
}

expected<std::vector<std::string>, input_error>
columns_of(const both_images& from, const std::vector<std::string>& choice, const std::string& file) {
    std::vector<std::string> columns;
    if (from.ipv4)
        add_names(from.ipv4->values(), columns);
    if (from.ipv6)
        add_names(from.ipv6->values(), columns);
    const auto indices = places_of(choice, columns, file);
    if (!indices)
        return unexpected{indices.error()};
    std::vector<std::string> names;
    for (const std::size_t index : *indices)
        names.push_back(columns[index]);
    return names;
}

expected<both_tables, input_error> keep_columns(both_tables tables, const std::vector<std::string>& choice,
                                                const std::string& file) {
    if (choice.empty())
        return tables;
    std::vector<std::string> columns;
    add_names(tables.ipv4.values.view(), columns);
    const auto indices = places_of(choice, columns, file);
    if (!indices)
        return unexpected{indices.error()};
    keep_columns_at(tables.ipv4, *indices);
    keep_columns_at(tables.ipv6, *indices);
    return tables;
}

expected<both_tables, input_error> copy_tables(const both_images& from, const table_options& options,
                                               const std::string& file) {
    const auto names = columns_of(from, options.values, file);
    if (!names)
        return unexpected{names.error()};
    both_tables tables;
    std::uint64_t skipped = 0;
    const auto copy = [&]<class A>(const std::optional<image<A>>& source_image, loaded_table<A>& table) {
        const bool is_requested = options.only.value_or(family_of<A>) == family_of<A>;
        copy_family(source_image && is_requested ? &*source_image : nullptr, *names, table);
        skipped += source_image && !is_requested ? source_image->size() : 0;
    };
    copy(from.ipv4, tables.ipv4);
    copy(from.ipv6, tables.ipv6);
    equalize_types(tables);
    tables.ipv4.counts.other_family = tables.ipv6.counts.other_family = skipped;
    return tables;
}

expected<table_input, input_error> table_input::open(const std::string& path,
                                                     const read_options& options) try {
    auto source = file_source::open(path);
    if (!source)
        return unexpected{source.error()};
    return open(std::move(*source), path, options);
} catch (...) {
    return unexpected{shortage(path)};
}

expected<table_input, input_error> table_input::open(file_source source, std::string path,
                                                     const read_options& options) try {
    std::optional<table_format> format = options.format;
    if (!format) {
        const auto detected = detect(source, options.table);
        if (!detected)
            return unexpected{detected.error()};
        format = *detected;
    }
    if (!options.table.routing_table.empty() && !entry_of(*format).has_routing_tables)
        return unexpected{input_error{source.name(), 0, options.table.routing_table,
                                      "a routing table was named, but files of the format " +
                                          std::string(name_of(*format)) + " have no routing tables"}};
    return table_input(std::move(source), std::move(path), *format);
} catch (...) {
    return unexpected{shortage(source.name())};
}

expected<both_images, input_error> table_input::map(const read_options& options) const try {
    const auto refuse = [&](std::string reason) {
        return unexpected{input_error{source_.name(), 0, {}, std::move(reason)}};
    };
    if (path_ == "-")
        return refuse("a table image must be in a file, because it is mapped; name the file");
    if (source_.is_compressed())
        return refuse("a compressed table image cannot be mapped; decompress it first");
    if (options.table.on_understood)
        options.table.on_understood("a table image");
    auto opened = open_both_images(path_);
    if (!opened)
        return refuse(to_string(opened.error()));
    return std::move(*opened);
} catch (...) {
    return unexpected{shortage(source_.name())};
}

expected<both_tables, input_error> table_input::read_mrt(const read_options& options) {
    if (options.table.on_understood)
        options.table.on_understood("an MRT file");
    mrt_report report;
    auto tables = load_mrt_table(source_, options.table, options.mrt, &report);
    if (options.on_recorded)
        options.on_recorded(report);
    if (!tables)
        return tables;
    return keep_columns(std::move(*tables), options.table.values, source_.name());
}

// Reads an MRT file or an image.
expected<both_tables, input_error> table_input::read_binary(const read_options& options) try {
    if (format_ == table_format::mrt)
        return read_mrt(options);
    const auto images = map(options);
    if (!images)
        return unexpected{images.error()};
    return copy_tables(*images, options.table, source_.name());
} catch (...) {
    return unexpected{shortage(source_.name())};
}

template <class Table, class Finish>
expected<Table, input_error> table_input::read_text(const table_options& options, Finish finish) try {
    any_reader reader(format_, source_.name(), options);
    return read_rest(source_, reader, finish);
} catch (...) {
    return unexpected{shortage(source_.name())};
}

expected<one_table, input_error> table_input::read(const read_options& options) && {
    if (is_text())
        return read_text<one_table>(options.table,
                                    [](any_reader& reader) { return std::move(reader).finish(); });
    auto tables = read_binary(options);
    if (!tables)
        return unexpected{tables.error()};
    return one_of(std::move(*tables), options.table, source_.name());
}

expected<both_tables, input_error> table_input::read_both(const read_options& options) && {
    if (!is_text())
        return read_binary(options);
    table_options both_options = options.table;
    both_options.both = true;
    return read_text<both_tables>(both_options,
                                  [](any_reader& reader) { return std::move(reader).finish_both(); });
}

expected<found_tables, input_error> table_input::find(const read_options& options) && {
    const auto convert = [](auto result) -> expected<found_tables, input_error> {
        if (!result)
            return unexpected{result.error()};
        return expected<found_tables, input_error>(std::in_place, std::move(*result));
    };
    return format_ == table_format::image ? convert(map(options))
                                          : convert(std::move(*this).read_both(options));
}

expected<one_table, input_error> load_table(const std::string& path, const read_options& options) {
    auto input = table_input::open(path, options);
    if (!input)
        return unexpected{input.error()};
    return std::move(*input).read(options);
}

expected<both_tables, input_error> load_both(const std::string& path, const read_options& options) {
    auto input = table_input::open(path, options);
    if (!input)
        return unexpected{input.error()};
    return std::move(*input).read_both(options);
}

expected<found_tables, input_error> open_tables(const std::string& path, const read_options& options) {
    auto input = table_input::open(path, options);
    if (!input)
        return unexpected{input.error()};
    return std::move(*input).find(options);
}

} // namespace fingerpost::io
