// The extension module fingerpost._core.
#include <nanobind/nanobind.h>

#include "python/core/bind_program.hpp"
#include "python/core/module_lock.hpp"
#include "python/core/polars/held_lookup.hpp"
#include "python/core/raise.hpp"
#include "python/core/sql/sql_tables.hpp"
#include "python/core/table/table_object.hpp"
#include "python/core/vectors/bind.hpp"

NB_MODULE(_core, to) {
    using namespace fingerpost::python;
    to.doc() = "Implementation of fingerpost in C++; import fingerpost instead.";
    to.attr("__version__") = FINGERPOST_VERSION;
    module_lock::make();
    // Daemon threads and databases may legitimately hold objects when the interpreter ends.
    nanobind::set_leak_warnings(false);
    bind_errors(to);
    bind_iterator(to);
    bind_table(to);
    bind_vectors(to);
    bind_program(to);
    bind_sql(to);
    bind_held_lookups(to);
    finish_table(to.attr("Table"));
}
