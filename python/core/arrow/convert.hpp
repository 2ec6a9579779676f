// Converts the texts of results for consumers that do not take utf8_view.
#pragma once

#include <memory>
#include <vector>

#include "python/core/arrow/abi.hpp"
#include "python/core/arrow/chunk.hpp"

namespace fingerpost::python::arrow {

// The type of a column of results, with the texts as utf8, large_utf8, utf8_view or a dictionary as
// requested. Ignores requests that differ in other ways.
column_type requested_type(const column_type& of, const ArrowSchema& request);

// The type of a column of results with the texts as utf8, or as large_utf8 where a chunk has more than 2 GiB
// of them.
column_type type_with_offsets(const column_type& of, const std::vector<std::shared_ptr<const chunk>>& chunks);

// Returns the chunk of results itself, or a copy with other types of text. Needs no GIL. Throws
// std::length_error if the texts are too long for the type.
std::shared_ptr<const chunk> converted(std::shared_ptr<const chunk> from, const column_type& to);

} // namespace fingerpost::python::arrow
