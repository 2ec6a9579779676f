// The door from a file to the tables in it, whatever its format: text, an MRT file, or a saved image.
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
    std::optional<table_format> format = {}; // found by how the content begins unless it is given
    mrt_choice mrt = {.peer = {}, .values = mrt_values::all};
    // Told what was passed over in an MRT file, before its tables or the error are returned.
    std::function<void(const mrt_report&)> on_recorded = {};
};

// What a file holds: tables that were read, or an image that is mapped and checked.
using found_tables = std::variant<both_tables, both_images>;

// The routes of an image, with its columns, of which table_options::values chooses; what one of its families
// lacks of these is missing. Without columns next hops are numbers, in a column next_hop. `file` is what the
// error calls the image. Throws std::bad_alloc.
expected<both_tables, input_error> copy_tables(const both_images& from, const table_options& options,
                                               const std::string& file);

// The names of the columns that tables of an image have: those of either family, or the chosen ones.
expected<std::vector<std::string>, input_error>
columns_of(const both_images& from, const std::vector<std::string>& chosen, const std::string& file);

// The table with these columns, in this order; as it is when none is chosen. `file` is what the error calls
// it.
expected<both_tables, input_error> keep_columns(both_tables tables, const std::vector<std::string>& chosen,
                                                const std::string& file);

// The column of `from` for names[which]: of equal names the first one is the first column of that name, and
// so on. The number of columns if there is none.
std::size_t column_for(const std::vector<std::string>& names, std::size_t which, const value_view& from);

// A file that is open, and whose format is known; nothing of it has been read. Memory that runs out is an
// error, not an exception.
class table_input {
  public:
    // `path` as for file_source::open.
    static expected<table_input, input_error> open(const std::string& path, const read_options& how = {});
    // The same of a source that is open, and of which nothing has been read. `path` is where the file can be
    // mapped if it is an image.
    static expected<table_input, input_error> open(file_source source, std::string path,
                                                   const read_options& how = {});

    table_format format() const noexcept { return format_; }
    file_source& source() noexcept { return source_; }

    // Of an image only: maps and checks it; errors name the byte. Needs a regular file that is not
    // compressed.
    expected<both_images, input_error> map(const read_options& how = {}) const;

    // That the file has routes of both families is an error, unless table_options::only chooses one.
    expected<one_table, input_error> read(const read_options& how = {}) &&;
    expected<both_tables, input_error> read_both(const read_options& how = {}) &&;
    // As map() and read_both().
    expected<found_tables, input_error> find(const read_options& how = {}) &&;

  private:
    table_input(file_source source, std::string path, table_format format)
        : source_(std::move(source)), path_(std::move(path)), format_(format) {}
    bool is_text() const noexcept { return format_ != table_format::mrt && format_ != table_format::image; }
    template <class Table, class Finish>
    expected<Table, input_error> read_text(const table_options& options, Finish finish);
    expected<both_tables, input_error> read_recorded(const read_options& how);
    expected<both_tables, input_error> read_binary(const read_options& how);

    file_source source_;
    std::string path_;
    table_format format_;
};

// Open a file and read it, as table_input does.
expected<one_table, input_error> load_table(const std::string& path, const read_options& how = {});
expected<both_tables, input_error> load_both(const std::string& path, const read_options& how = {});
expected<found_tables, input_error> open_tables(const std::string& path, const read_options& how = {});

} // namespace fingerpost::io
