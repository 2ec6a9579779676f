// Rows of prefixes as text, looked up in the exact table.
#pragma once

#include <cstddef>

#include "python/core/vectors/sources/source.hpp"

namespace fingerpost::python {

// Like source::answer() and source::explain(), for a column of texts. The result of a row is the longest
// route that covers its prefix. A text without a length is the prefix of that one address.
void answer_prefixes(const columns::column& from, std::size_t first, std::size_t count, scratch& with,
                     answers& out);
columns::bad_row explain_prefix(const columns::column& from, std::size_t row);

} // namespace fingerpost::python
