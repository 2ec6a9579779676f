// The sources of Table.from_file() and similar methods: a file by its name, the standard input, or a Python
// stream.
#pragma once

#include <nanobind/nanobind.h>
#include <string>

#include "io/source/any_table.hpp"

namespace fingerpost::python {

// The bytes of str, bytes or os.PathLike.
std::string path_of(nanobind::handle path);
// Raises OSError if it cannot be opened, like open().
void check_readable(const std::string& name, nanobind::handle path);

class table_source {
  public:
    // Needs the GIL. `from`: a path, `-` for the standard input, or an object with read(), which is read to
    // its end here. Raises OSError if it cannot be opened, TypeError for other objects, and what read()
    // raises.
    explicit table_source(nanobind::handle from);
    ~table_source();
    table_source(const table_source&) = delete;
    table_source& operator=(const table_source&) = delete;

    // The name in errors and warnings.
    const std::string& name() const noexcept { return name_; }
    // Without the GIL; once.
    expected<io::table_input, io::input_error> open(const io::read_options& how) const;

  private:
    std::string name_;
    int copy_ = -1; // a file in memory with the content of a stream
};

} // namespace fingerpost::python
