// Tables as sources of the SQL functions in DuckDB.
#pragma once

#include <nanobind/nanobind.h>

namespace fingerpost::python {

void bind_sql(nanobind::module_& to);

} // namespace fingerpost::python
