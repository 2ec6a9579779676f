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

// Detects the format by the first bytes of a source, and reads no more of them than necessary. is_mmdb()
// reads the end.
expected<table_format, input_error> detect(file_source& source, const table_options& options) {
    bool tried_end = false;
    for (std::size_t wanted = 1;;) {
        const auto start = source.peek(wanted);
        if (!start)
            return unexpected{start.error()};
        const bool is_binary = start->find('\0') != std::string_view::npos && !source.is_compressed();
        if (is_binary && !tried_end && is_mmdb(source))
            return table_format::mmdb;
        tried_end = tried_end || is_binary;
        const detection found = detect_format(*start, start->size() < wanted, options);
        if (found.format)
            return *found.format;
        if (!found.needs_more)
            return unexpected{input_error{source.name(), 0, {}, found.reason}};
        wanted = start->size() + 1;
    }
}

input_error shortage(const std::string& file) {
    return {file, 0, {}, std::string(message(reason_of_exception()))};
}

// Returns the indices of the chosen columns; of all columns if none is chosen.
expected<std::vector<std::size_t>, input_error> places_of(const std::vector<std::string>& chosen,
                                                          const std::vector<std::string>& there,
                                                          const std::string& file) {
    std::vector<std::size_t> places;
    for (const std::string& name : chosen) {
        const auto found = std::find(there.begin(), there.end(), name);
        std::string all;
        for (const std::string& one : there)
            all.append(all.empty() ? "" : ", ").append(one);
        if (found == there.end())
            return unexpected{
                input_error{file, 0, {}, "no column " + io::quoted(name) + "; columns: " + all}};
        places.push_back(static_cast<std::size_t>(found - there.begin()));
        if (std::count(places.begin(), places.end(), places.back()) > 1)
            return unexpected{input_error{file, 0, {}, named_twice(name)}};
    }
    for (std::size_t i = 0; i < there.size() && chosen.empty(); ++i)
        places.push_back(i);
    return places;
}

// Keeps only these columns of a table, in this order.
template <class A>
void keep_places(loaded_table<A>& table, const std::vector<std::size_t>& places) {
    std::vector<std::string_view> cells;
    for (const std::size_t place : places)
        cells.push_back(table.values.name(place));
    value_rows kept(cells);
    for (std::size_t i = 0; i < places.size(); ++i)
        kept.set_type(i, table.values.type(places[i]));
    std::vector<next_hop> rows;
    for (std::uint32_t row = 0; row < table.values.size(); ++row) {
        for (std::size_t i = 0; i < places.size(); ++i)
            cells[i] = table.values.cell({row}, places[i]);
        rows.push_back(kept.intern(cells));
    }
    for (route<A>& one : table.routes)
        one.hop = rows[one.hop.id];
    table.values = std::move(kept);
}

// Adds the names that are missing. If a table has several columns with one name, the name is added as often.
void add_names(const value_view& values, std::vector<std::string>& names) {
    std::vector<std::string> own;
    for (std::size_t i = 0; i < values.columns(); ++i)
        own.emplace_back(values.name(i));
    if (own.empty())
        own.emplace_back("next_hop");
    for (std::size_t i = 0; i < own.size(); ++i)
        if (std::count(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(i) + 1, own[i]) >
            std::count(names.begin(), names.end(), own[i]))
            names.push_back(own[i]);
}

// Copies rows of an image, with the columns of the result, and returns their new numbers.
class row_copier {
  public:
    row_copier(const value_view& from, const std::vector<std::string>& names)
        : from_(from), cells_(names.begin(), names.end()), rows_(cells_) {
        for (std::size_t i = 0; i < names.size(); ++i) {
            places_.push_back(column_for(names, i, from));
            is_number_.push_back(from.columns() == 0 && names[i] == "next_hop");
            if (is_number_[i])
                rows_.set_type(i, column_type::integer);
            else if (places_[i] < from.columns())
                rows_.set_type(i, from.type(places_[i]));
        }
    }
    next_hop copy(next_hop row) {
        const auto [known, is_new] = numbers_.try_emplace(row.id);
        if (is_new) {
            const std::string number = std::to_string(row.id);
            for (std::size_t i = 0; i < cells_.size(); ++i)
                cells_[i] = is_number_[i]                  ? std::string_view(number)
                            : places_[i] < from_.columns() ? from_.cell(row, places_[i])
                                                           : missing_cell;
            known->second = rows_.intern(cells_);
        }
        return known->second;
    }
    value_rows take() && { return std::move(rows_); }

  private:
    value_view from_;
    std::vector<std::string_view> cells_;
    value_rows rows_;
    std::vector<std::size_t> places_; // indices of the columns in the image
    std::vector<bool> is_number_;
    std::unordered_map<std::uint32_t, next_hop> numbers_;
};

// Routes of an image are sorted and unique.
template <class A>
void copy_family(const image<A>* from, const std::vector<std::string>& names, loaded_table<A>& to) {
    row_copier rows(from != nullptr ? from->values() : value_view(), names);
    if (from != nullptr)
        to.routes = from->copy_routes();
    for (route<A>& one : to.routes)
        one.hop = rows.copy(one.hop);
    to.values = std::move(rows).take();
}

// Returns the table of the family that has routes, or that was requested.
expected<one_table, input_error> one_of(both_tables tables, const table_options& options,
                                        const std::string& file) {
    const bool has_four = !tables.ipv4.routes.empty();
    if (has_four && !tables.ipv6.routes.empty())
        return unexpected{
            input_error{file, 0, {}, advised("it has routes of both families", options.advice.family)}};
    if (has_four || options.only == family::ipv4)
        return one_table(std::move(tables.ipv4));
    return one_table(std::move(tables.ipv6));
}

} // namespace

std::size_t column_for(const std::vector<std::string>& names, std::size_t which, const value_view& from) {
    const std::string& name = names[which];
    auto earlier = std::count(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(which), name);
    for (std::size_t i = 0; i < from.columns(); ++i)
        if (from.name(i) == name && earlier-- == 0)
            return i;
    return from.columns();
}

expected<std::vector<std::string>, input_error>
columns_of(const both_images& from, const std::vector<std::string>& chosen, const std::string& file) {
    std::vector<std::string> there;
    if (from.ipv4)
        add_names(from.ipv4->values(), there);
    if (from.ipv6)
        add_names(from.ipv6->values(), there);
    const auto places = places_of(chosen, there, file);
    if (!places)
        return unexpected{places.error()};
    std::vector<std::string> names;
    for (const std::size_t place : *places)
        names.push_back(there[place]);
    return names;
}

expected<both_tables, input_error> keep_columns(both_tables tables, const std::vector<std::string>& chosen,
                                                const std::string& file) {
    if (chosen.empty())
        return tables;
    std::vector<std::string> there;
    add_names(tables.ipv4.values.view(), there);
    const auto places = places_of(chosen, there, file);
    if (!places)
        return unexpected{places.error()};
    keep_places(tables.ipv4, *places);
    keep_places(tables.ipv6, *places);
    return tables;
}

expected<both_tables, input_error> copy_tables(const both_images& from, const table_options& options,
                                               const std::string& file) {
    const auto names = columns_of(from, options.values, file);
    if (!names)
        return unexpected{names.error()};
    both_tables made;
    std::uint64_t skipped = 0;
    const auto copy = [&]<class A>(const std::optional<image<A>>& one, loaded_table<A>& to) {
        const bool wanted = options.only.value_or(family_of<A>) == family_of<A>;
        copy_family(one && wanted ? &*one : nullptr, *names, to);
        skipped += one && !wanted ? one->size() : 0;
    };
    copy(from.ipv4, made.ipv4);
    copy(from.ipv6, made.ipv6);
    equalize_types(made);
    made.ipv4.counts.other_family = made.ipv6.counts.other_family = skipped;
    return made;
}

expected<table_input, input_error> table_input::open(const std::string& path, const read_options& how) try {
    auto source = file_source::open(path);
    if (!source)
        return unexpected{source.error()};
    return open(std::move(*source), path, how);
} catch (...) {
    return unexpected{shortage(path)};
}

expected<table_input, input_error> table_input::open(file_source source, std::string path,
                                                     const read_options& how) try {
    std::optional<table_format> format = how.format;
    if (!format) {
        const auto found = detect(source, how.table);
        if (!found)
            return unexpected{found.error()};
        format = *found;
    }
    if (!how.table.routing_table.empty() && !entry_of(*format).has_routing_tables)
        return unexpected{input_error{source.name(), 0, how.table.routing_table,
                                      "a routing table is named, but a file of the format " +
                                          std::string(name_of(*format)) + " has none"}};
    return table_input(std::move(source), std::move(path), *format);
} catch (...) {
    return unexpected{shortage(source.name())};
}

expected<both_images, input_error> table_input::map(const read_options& how) const try {
    const auto refused = [&](std::string reason) {
        return unexpected{input_error{source_.name(), 0, {}, std::move(reason)}};
    };
    if (path_ == "-")
        return refused("the image of a table, which is mapped and so needs a file; name it");
    if (source_.is_compressed())
        return refused("the compressed image of a table, which cannot be mapped; decompress it first");
    if (how.table.on_understood)
        how.table.on_understood("the image of a table");
    auto opened = open_both_images(path_);
    if (!opened)
        return refused(to_string(opened.error()));
    return std::move(*opened);
} catch (...) {
    return unexpected{shortage(source_.name())};
}

expected<both_tables, input_error> table_input::read_recorded(const read_options& how) {
    if (how.table.on_understood)
        how.table.on_understood("an MRT file");
    mrt_report report;
    auto tables = load_mrt_table(source_, how.table, how.mrt, &report);
    if (how.on_recorded)
        how.on_recorded(report);
    if (!tables)
        return tables;
    return keep_columns(std::move(*tables), how.table.values, source_.name());
}

// Reads an MRT file or an image.
expected<both_tables, input_error> table_input::read_binary(const read_options& how) try {
    if (format_ == table_format::mrt)
        return read_recorded(how);
    const auto images = map(how);
    if (!images)
        return unexpected{images.error()};
    return copy_tables(*images, how.table, source_.name());
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

expected<one_table, input_error> table_input::read(const read_options& how) && {
    if (is_text())
        return read_text<one_table>(how.table, [](any_reader& done) { return std::move(done).finish(); });
    auto tables = read_binary(how);
    if (!tables)
        return unexpected{tables.error()};
    return one_of(std::move(*tables), how.table, source_.name());
}

expected<both_tables, input_error> table_input::read_both(const read_options& how) && {
    if (!is_text())
        return read_binary(how);
    table_options all = how.table;
    all.both = true;
    return read_text<both_tables>(all, [](any_reader& done) { return std::move(done).finish_both(); });
}

expected<found_tables, input_error> table_input::find(const read_options& how) && {
    const auto found = [](auto made) -> expected<found_tables, input_error> {
        if (!made)
            return unexpected{made.error()};
        return found_tables(std::move(*made));
    };
    return format_ == table_format::image ? found(map(how)) : found(std::move(*this).read_both(how));
}

expected<one_table, input_error> load_table(const std::string& path, const read_options& how) {
    auto input = table_input::open(path, how);
    if (!input)
        return unexpected{input.error()};
    return std::move(*input).read(how);
}

expected<both_tables, input_error> load_both(const std::string& path, const read_options& how) {
    auto input = table_input::open(path, how);
    if (!input)
        return unexpected{input.error()};
    return std::move(*input).read_both(how);
}

expected<found_tables, input_error> open_tables(const std::string& path, const read_options& how) {
    auto input = table_input::open(path, how);
    if (!input)
        return unexpected{input.error()};
    return std::move(*input).find(how);
}

} // namespace fingerpost::io
