// Results as Arrow columns, with the chunks of the input.
#pragma once

#include <memory>
#include <vector>

#include "python/core/arrow/arrow_column.hpp"
#include "python/core/vectors/call.hpp"

namespace fingerpost::python {

// Looks up all chunks. With a list of wants, the column is a struct. Raises TypeError for default values that
// do not fit the type of the result, and for values without a common Arrow type.
arrow::column answer_as_arrow(call& by, std::vector<std::unique_ptr<source>>& chunks, bool chunked);
// The type of the results of answer_as_arrow() in the table as it is. Raises its exceptions.
arrow::column_type type_of_results(const call_options& how);

} // namespace fingerpost::python
