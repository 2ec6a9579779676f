// Methods that inspect.signature() and help() can read: nanobind's own functions have no __text_signature__.
#pragma once

#include <nanobind/nanobind.h>

namespace fingerpost::python {

// A fast path of a method for its usual arguments, given by position. Returns null without an exception for
// all others. Throws what a method throws.
using short_way = PyObject* (*)(PyObject* self, PyObject* const* arguments, Py_ssize_t count);

// Replaces every public method of the class and __init__ by a function with a signature, once all are
// defined. It calls what nanobind has made.
void show_signatures(nanobind::handle type);
// Call it after that: the fast path of one method.
void add_short_way(nanobind::handle type, const char* name, short_way way);

} // namespace fingerpost::python
