// Table.from_arrow: makes a table from Arrow columns.
#pragma once

#include <nanobind/nanobind.h>

namespace fingerpost::python {

// A table of class `type` from a column of prefixes, as text, and one of values: integers, text, or a struct
// of texts. Raises TypeError for other types, ValueError for null or bad networks.
nanobind::object from_arrow(nanobind::handle type, nanobind::handle networks, nanobind::handle values,
                            nanobind::handle scheme);

} // namespace fingerpost::python
