// Methods that inspect.signature() and help() can read: nanobind's own functions have no __text_signature__.
#pragma once

#include <nanobind/nanobind.h>

namespace fingerpost::python {

// A short way through a method for its usual arguments, which are given by place. Returns null without an
// exception for all others. Throws what a method throws.
using short_way = PyObject* (*)(PyObject* self, PyObject* const* arguments, Py_ssize_t count);

// Puts a function with a signature in the place of every public method of the class and of __init__, once all
// are defined. It calls what nanobind has made.
void show_signatures(nanobind::handle type);
// After that: the short way of one method.
void add_short_way(nanobind::handle type, const char* name, short_way way);

} // namespace fingerpost::python
