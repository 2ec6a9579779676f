// Results as Python lists and numpy arrays.
#pragma once

#include <memory>
#include <nanobind/nanobind.h>
#include <vector>

#include "python/core/vectors/call.hpp"

namespace fingerpost::python {

// Looks up the rows. Returns a list or, with a list of wants, a dict of lists.
nanobind::object answer_as_list(call& by, std::unique_ptr<source> rows);

// Looks up the rows. Returns an array of int64 (index and integer values), int16 (length) or object or, with
// a list of wants, a dict of arrays. Raises TypeError or OverflowError for default values that do not fit.
nanobind::object answer_as_numpy(call& by, std::unique_ptr<source> rows);

} // namespace fingerpost::python
