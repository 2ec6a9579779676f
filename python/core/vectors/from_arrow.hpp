// Table.from_arrow: creates a table from Arrow columns.
#pragma once

#include <nanobind/nanobind.h>

namespace fingerpost::python {

// Creates a table of class `type` from a column of prefixes, as text, and a column of values or a struct of
// columns. Without values, `networks` is a frame. Raises TypeError for other types, ValueError for null or
// bad networks.
nanobind::object from_arrow(nanobind::handle type, nanobind::handle networks, nanobind::handle values,
                            nanobind::handle network, nanobind::handle scheme);

} // namespace fingerpost::python
