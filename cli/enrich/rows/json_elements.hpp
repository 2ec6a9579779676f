// The elements of an array in valid JSON.
#pragma once

#include <string_view>

#include "cli/enrich/rows/json_line.hpp"

namespace fingerpost::cli::enrich {

// Removes the next element from `rest`, which begins at the array's bracket or after an element. Absent at
// the end of the array.
json_member next_element(std::string_view& rest);

} // namespace fingerpost::cli::enrich
