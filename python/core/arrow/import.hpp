// Imports Arrow data of other libraries through the PyCapsule interface (`__arrow_c_array__` and
// `__arrow_c_stream__`). Nothing is copied. The data is released when the import is destroyed.
#pragma once

#include <cstddef>
#include <vector>

#include <nanobind/nanobind.h>

#include "python/core/arrow/owned.hpp"

namespace fingerpost::python::arrow {

// A column, a record batch or a table of another library.
struct imported {
    owned<ArrowSchema> schema;
    std::vector<owned<ArrowArray>> chunks;
    // True for `__arrow_c_stream__`, which has any number of chunks. Otherwise there is exactly one.
    bool chunked = false;
};

// Whether `object` exports Arrow data.
bool is_arrow(nanobind::handle object);

// Imports all chunks. Needs the GIL, but reads streams without it, because threads that create the chunks may
// need the GIL. Throws the exceptions of the producer, and std::runtime_error with the producer's message if
// a stream fails.
imported import_arrow(nanobind::handle object);

} // namespace fingerpost::python::arrow
