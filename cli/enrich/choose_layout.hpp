// Finds out what kind of rows an input has, and how they are cut.
#pragma once

#include <string_view>

#include "cli/enrich/enrich_options.hpp"

namespace fingerpost::cli::enrich {

// By the options, else by how the input begins: `beginning` holds a line at least, or all there is. Says on
// stderr what was detected. Throws usage_error for options that mean nothing for this kind, or that it needs.
row_layout choose_layout(const enrich_options& options, std::string_view beginning);

} // namespace fingerpost::cli::enrich
