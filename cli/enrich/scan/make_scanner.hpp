// Creates the scanner for a kind of rows.
#pragma once

#include <memory>

#include "cli/enrich/scan/scanner.hpp"

namespace fingerpost::cli::enrich {

// `choice` must outlive it. Throws usage_error for an invalid regular expression.
std::unique_ptr<scanner> make_scanner(const scan_choice& choice);

} // namespace fingerpost::cli::enrich
