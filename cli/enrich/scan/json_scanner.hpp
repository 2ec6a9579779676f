// The scanner of NDJSON, where each line is an object.
#pragma once

#include <memory>

#include "cli/enrich/scan/scanner.hpp"

namespace fingerpost::cli::enrich {

std::unique_ptr<scanner> make_json_scanner(const scan_choice& choice);

} // namespace fingerpost::cli::enrich
