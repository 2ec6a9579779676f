// Detects the kind of rows in an input and how to split them.
#pragma once

#include <string_view>

#include "cli/enrich/enrich_options.hpp"

namespace fingerpost::cli::enrich {

// Decides by the options, else by the first line. `beginning` holds at least a line, or the whole input.
// Reports the result on stderr. Throws usage_error for options that do not apply to this kind, and for
// missing ones.
row_layout choose_layout(const enrich_options& options, std::string_view beginning);

} // namespace fingerpost::cli::enrich
