// Arrow data of other libraries, taken over through the PyCapsule interface (`__arrow_c_array__` and
// `__arrow_c_stream__`): nothing is copied, and everything is released once, when the import is destroyed.
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
    // From `__arrow_c_stream__`: any number of chunks, including none. Otherwise there is exactly one.
    bool chunked = false;
};

// Whether `object` offers Arrow data.
bool is_arrow(nanobind::handle object);

// Takes over all chunks of the data. Needs the GIL; a stream is read without it, because its chunks may be
// made by threads that need the GIL. Throws what the producer throws, and std::runtime_error with the
// producer's message if a stream fails.
imported import_arrow(nanobind::handle object);

} // namespace fingerpost::python::arrow
