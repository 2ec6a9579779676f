// Registers the functions with a DuckDB that runs in this process and exports its C API, as the Python module
// of DuckDB 2 does. No extension is loaded, so DuckDB needs no signature.
#pragma once

namespace fingerpost::python {

// Registers the functions for all databases that are opened afterwards by this module, which must be loaded.
// Later calls do nothing. Returns false if the module does not export the functions that are needed.
bool register_in_module(const char* path);

} // namespace fingerpost::python
