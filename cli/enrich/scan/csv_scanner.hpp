// The scanner of CSV and TSV.
#pragma once

#include <memory>

#include "cli/enrich/scan/scanner.hpp"

namespace fingerpost::cli::enrich {

std::unique_ptr<scanner> make_csv_scanner(const scan_choice& choice);

} // namespace fingerpost::cli::enrich
