// Reads the tables in a file of any format: text, an MRT file, or a saved image.
//
//      auto tables = io::load_both("table.txt.gz");               routes of both families and their values
//      auto found = io::open_tables("table.image");               an image stays mapped, others are read
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/image/any_image.hpp"
#include "io/format/mrt/choice.hpp"
#include "io/format/parts/table_data.hpp"
#include "io/format/table_format.hpp"
#include "io/source/file.hpp"
#include "io/source/mrt/mrt_table.hpp"

namespace fingerpost::io {

struct read_options {
    table_options table = {};
    std::optional<table_format> format = {}; // detected from the content if not set
    mrt_choice mrt = {.peer = {}, .values = mrt_values::all};
    // Called with a report on skipped parts of an MRT file, before its tables or the error are returned.
    std::function<void(const mrt_report&)> on_recorded = {};
};

// The tables in a file: those that were read, or an image that was mapped and checked.
using found_tables = std::variant<both_tables, both_images>;

// Copies the routes of an image, with the columns that table_options::values selects. Columns that one family
// lacks are missing there. If the image has no columns, its next hops are numbers in a column next_hop.
// `file`: name of the image in the error. Throws std::bad_alloc.
expected<both_tables, input_error> copy_tables(const both_images& from, const table_options& options,
                                               const std::string& file);

// Returns the column names of the tables of an image: those of either family, or the chosen ones.
expected<std::vector<std::string>, input_error>
columns_of(const both_images& images, const std::vector<std::string>& choice, const std::string& file);

// Returns the table with only these columns, in this order, or with all. `file`: its name in the error.
expected<both_tables, input_error> keep_columns(both_tables tables, const std::vector<std::string>& choice,
                                                const std::string& file);

// Returns the column of `values` for names[index]. If a name occurs several times, its n-th occurrence is the
// n-th column of that name. Returns the number of columns if there is no such column.
std::size_t column_for(const std::vector<std::string>& names, std::size_t index, const value_view& values);

// An open file of known format that has not been read yet. Missing memory is an error, not an exception.
class table_input {
  public:
    // `path`: as for file_source::open.
    static expected<table_input, input_error> open(const std::string& path, const read_options& options = {});
    // Takes an open source that has not been read. `path`: where the file can be mapped if it is an image.
    static expected<table_input, input_error> open(file_source source, std::string path,
                                                   const read_options& options = {});

    table_format format() const noexcept { return format_; }
    file_source& source() noexcept { return source_; }

    // Images only: maps and checks a regular file without compression. Errors name the byte.
    expected<both_images, input_error> map(const read_options& options = {}) const;

    // Reads one family. If the file has routes of both, table_options::only must select one.
    expected<one_table, input_error> read(const read_options& options = {}) &&;
    expected<both_tables, input_error> read_both(const read_options& options = {}) &&;
    // Maps an image, or reads both families of other formats.
    expected<found_tables, input_error> find(const read_options& options = {}) &&;

  private:
    table_input(file_source source, std::string path, table_format format)
        : source_(std::move(source)), path_(std::move(path)), format_(format) {}
    bool is_text() const noexcept { return format_ != table_format::mrt && format_ != table_format::image; }
    template <class Table, class Finish>
    expected<Table, input_error> read_text(const table_options& options, Finish finish);
    expected<both_tables, input_error> read_mrt(const read_options& options);
    expected<both_tables, input_error> read_binary(const read_options& options);

    file_source source_;
    std::string path_;
    table_format format_;
};

// Open a file and read it as table_input does.
expected<one_table, input_error> load_table(const std::string& path, const read_options& options = {});
expected<both_tables, input_error> load_both(const std::string& path, const read_options& options = {});
expected<found_tables, input_error> open_tables(const std::string& path, const read_options& options = {});

} // namespace fingerpost::io
