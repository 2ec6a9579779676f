// Turns failures of the library into Python exceptions.
#pragma once

#include <nanobind/nanobind.h>
#include <string>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/image/error.hpp"

namespace fingerpost::python {

// All of these need the GIL.

// A str in which bytes that are not UTF-8 are shown as \xNN.
nanobind::object shown_text(const std::string& words);
[[noreturn]] void raise(PyObject* type, const std::string& words);
// Propagates the exception that a call of the C API has set.
[[noreturn]] inline void raise_current() {
    throw nanobind::python_error();
}
// MemoryError, or fingerpost.Error with the words of the reason.
[[noreturn]] void raise_errc(errc reason);
// fingerpost.Error, a ValueError: for input from files.
[[noreturn]] void raise_input_error(const std::string& words);
// OSError if the system refused, otherwise fingerpost.Error, with the file.
[[noreturn]] void raise_image_error(const image_error& error, const std::string& path);

// repr(object), cut to some 80 characters.
std::string shown(PyObject* object);
std::string type_name(PyObject* object);

// Adds the class Error to the module.
void bind_errors(nanobind::module_& to);

} // namespace fingerpost::python
