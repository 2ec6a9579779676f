// Finds the format of a file and feeds it to the reader of that format.
#include "io/source/table_file.hpp"

#include "io/format/any_reader.hpp"
#include "io/source/feed.hpp"

namespace fingerpost::io {
namespace {

// Finds the format from the first bytes of a source; reads no more than is needed to tell.
expected<table_format, input_error> detect(file_source& source, const table_options& options) {
    for (std::size_t wanted = 1;;) {
        const auto start = source.peek(wanted);
        if (!start)
            return unexpected{start.error()};
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

} // namespace

expected<table_input, input_error> table_input::open(const std::string& path, const table_options& options,
                                                     std::optional<table_format> format) try {
    auto source = file_source::open(path);
    if (!source)
        return unexpected{source.error()};
    return open(std::move(*source), options, format);
} catch (...) {
    return unexpected{shortage(path)};
}

expected<table_input, input_error> table_input::open(file_source source, const table_options& options,
                                                     std::optional<table_format> format) try {
    if (!format) {
        const auto found = detect(source, options);
        if (!found)
            return unexpected{found.error()};
        format = *found;
    }
    return table_input(std::move(source), *format);
} catch (...) {
    return unexpected{shortage(source.name())};
}

template <class Table, class Finish>
expected<Table, input_error> table_input::read_by(const table_options& options, Finish finish) try {
    if (format_ == table_format::mrt || format_ == table_format::image)
        return unexpected{input_error{source_.name(),
                                      0,
                                      {},
                                      format_ == table_format::mrt ? "an MRT file, and no table as text"
                                                                   : "the image of a table, and no text"}};
    any_reader reader(format_, source_.name(), options);
    return read_rest(source_, reader, finish);
} catch (...) {
    return unexpected{shortage(source_.name())};
}

expected<any_table, input_error> table_input::read(const table_options& options) && {
    return read_by<any_table>(options, [](any_reader& done) { return std::move(done).finish(); });
}

expected<both_tables, input_error> table_input::read_both(const table_options& options) && {
    table_options all = options;
    all.both = true;
    return read_by<both_tables>(all, [](any_reader& done) { return std::move(done).finish_both(); });
}

expected<any_table, input_error> load_table(const std::string& path, const table_options& options) {
    auto input = table_input::open(path, options);
    if (!input)
        return unexpected{input.error()};
    return std::move(*input).read(options);
}

expected<both_tables, input_error> load_both(const std::string& path, const table_options& options) {
    auto input = table_input::open(path, options);
    if (!input)
        return unexpected{input.error()};
    return std::move(*input).read_both(options);
}

} // namespace fingerpost::io
