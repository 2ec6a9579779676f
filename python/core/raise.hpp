// Raises Python exceptions for failures of the library.
#pragma once

#include <nanobind/nanobind.h>
#include <string>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/image/error.hpp"

namespace fingerpost::python {

// All functions need the GIL.

// A str of a text, with \xNN for bytes that are not UTF-8.
nanobind::object shown_text(const std::string& text);
[[noreturn]] void raise(PyObject* type, const std::string& text);
// Propagates the exception that a C API call has set.
[[noreturn]] inline void raise_current() {
    throw nanobind::python_error();
}
// Raises MemoryError, or fingerpost.Error with the message of the reason.
[[noreturn]] void raise_errc(errc reason);
// Raises fingerpost.Error, a ValueError, for input from files.
[[noreturn]] void raise_input_error(const std::string& text);
// Raises OSError for failed system calls, otherwise fingerpost.Error with the path.
[[noreturn]] void raise_image_error(const image_error& error, const std::string& path);

// repr(object), cut to about 80 bytes.
std::string shown(PyObject* object);
std::string type_name(PyObject* object);

// Adds the class Error to the module.
void bind_errors(nanobind::module_& to);

} // namespace fingerpost::python
