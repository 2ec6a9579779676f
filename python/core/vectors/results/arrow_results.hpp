// Answers as columns of Arrow: chunks in, chunks out.
#pragma once

#include <memory>
#include <vector>

#include "python/core/arrow/arrow_column.hpp"
#include "python/core/vectors/call.hpp"

namespace fingerpost::python {

// Looks up all chunks. With a list of wants the column is a struct. Raises TypeError for default values that
// do not fit the type of what is wanted, and for values that Arrow has no one type for.
arrow::column answer_as_arrow(call& by, std::vector<std::unique_ptr<source>>& chunks, bool chunked);

} // namespace fingerpost::python
