// The scanner of log lines.
#pragma once

#include <memory>
#include <string>

#include "cli/enrich/scan/scanner.hpp"

namespace fingerpost::cli::enrich {

// Throws usage_error for an invalid regular expression, or one with several groups.
std::unique_ptr<scanner> make_log_scanner(const scan_choice& choice);

} // namespace fingerpost::cli::enrich
