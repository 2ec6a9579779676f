// Adds the functions for whole columns to the module: Table.lookup_many, Table.from_arrow, Report and
// ArrowColumn.
#pragma once

#include <nanobind/nanobind.h>

namespace fingerpost::python {

// Call it after bind_table().
void bind_vectors(nanobind::module_& to);

} // namespace fingerpost::python
