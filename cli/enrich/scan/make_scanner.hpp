// From a kind of rows to its scanner.
#pragma once

#include <memory>

#include "cli/enrich/scan/scanner.hpp"

namespace fingerpost::cli::enrich {

// `choice` must outlive it. Throws usage_error for a regular expression that is none.
std::unique_ptr<scanner> make_scanner(const scan_choice& choice);

} // namespace fingerpost::cli::enrich
