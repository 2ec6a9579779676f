// Sources for imported Arrow data.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "python/core/arrow/array_layout.hpp"
#include "python/core/arrow/import.hpp"
#include "python/core/vectors/sources/source.hpp"

namespace fingerpost::python {

// Chunks of addresses, and the memory that they refer to.
struct arrow_chunks {
    arrow::imported data;
    arrow::layout_memory memory;
    std::vector<std::unique_ptr<source>> sources;
    std::size_t rows = 0;
};

// Reads a column, or a table with one column. Raises TypeError with the accepted types, and ValueError for
// arrays that violate their format.
std::unique_ptr<arrow_chunks> read_chunks(arrow::imported data, row_kind kind);

} // namespace fingerpost::python
