// The scanner of lines with one address each.
#pragma once

#include <memory>

#include "cli/enrich/scan/scanner.hpp"

namespace fingerpost::cli::enrich {

std::unique_ptr<scanner> make_address_scanner(const scan_choice& choice);

} // namespace fingerpost::cli::enrich
