// Sources over imported Arrow data.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "python/core/arrow/array_layout.hpp"
#include "python/core/arrow/import.hpp"
#include "python/core/vectors/sources/source.hpp"

namespace fingerpost::python {

// Chunks of addresses, and all that they point to.
struct arrow_chunks {
    arrow::imported data;
    arrow::layout_memory memory;
    std::vector<std::unique_ptr<source>> sources;
    std::size_t rows = 0;
};

// From a column, or a table with one column. Raises TypeError that lists the accepted types, and ValueError
// for arrays that their format does not allow.
std::unique_ptr<arrow_chunks> read_chunks(arrow::imported data);

} // namespace fingerpost::python
