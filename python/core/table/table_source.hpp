// Sources of Table.from_file() and similar methods: a file name, the standard input, or a Python stream.
#pragma once

#include <nanobind/nanobind.h>
#include <string>

#include "io/source/any_table.hpp"

namespace fingerpost::python {

// The bytes of a str, bytes or os.PathLike object.
std::string path_of(nanobind::handle path);
// Raises OSError, like open(), if the file cannot be opened.
void check_readable(const std::string& name, nanobind::handle path);

class table_source {
  public:
    // Needs the GIL. `from` is a path, `-` for the standard input, or an object with read(), which is read to
    // its end. Raises OSError if it cannot be opened, TypeError for other objects, and the errors of read().
    explicit table_source(nanobind::handle from);
    ~table_source();
    table_source(const table_source&) = delete;
    table_source& operator=(const table_source&) = delete;

    // Name for errors and warnings.
    const std::string& name() const noexcept { return name_; }
    // Needs no GIL. Call it once.
    expected<io::table_input, io::input_error> open(const io::read_options& how) const;

  private:
    std::string name_;
    int copy_ = -1; // a file in memory with the content of a stream
};

} // namespace fingerpost::python
