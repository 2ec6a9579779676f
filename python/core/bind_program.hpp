// Runs the commands of the program, for `python -m fingerpost`.
#pragma once

#include <nanobind/nanobind.h>

namespace fingerpost::python {

// Adds run_program() to the module. If the module was built without the program, it is None.
void bind_program(nanobind::module_& to);

} // namespace fingerpost::python
