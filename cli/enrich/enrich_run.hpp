// Runs `fingerpost enrich`.
#pragma once

#include "cli/enrich/enrich_options.hpp"

namespace fingerpost::cli::enrich {

// Returns the exit code. Throws usage_error and failure.
int run(const enrich_options& options);

} // namespace fingerpost::cli::enrich
