// The elements of an array in checked JSON.
#pragma once

#include <string_view>

#include "cli/enrich/rows/json_line.hpp"

namespace fingerpost::cli::enrich {

// Takes the next element off `rest`, which begins with the array's bracket or follows an element; absent at
// the end of the array.
json_member next_element(std::string_view& rest);

} // namespace fingerpost::cli::enrich
