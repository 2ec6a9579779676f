// Adds lookups of whole columns to the module: Table.lookup_many, Table.from_arrow, Report and ArrowColumn.
#pragma once

#include <nanobind/nanobind.h>

namespace fingerpost::python {

// Call this after bind_table().
void bind_vectors(nanobind::module_& to);

} // namespace fingerpost::python
