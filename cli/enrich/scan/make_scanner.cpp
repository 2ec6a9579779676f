// Creates the scanner for each kind of rows.
#include "cli/enrich/scan/make_scanner.hpp"

#include "cli/enrich/scan/address_scanner.hpp"
#include "cli/enrich/scan/csv_scanner.hpp"
#include "cli/enrich/scan/json_scanner.hpp"
#include "cli/enrich/scan/log_scanner.hpp"

namespace fingerpost::cli::enrich {

std::unique_ptr<scanner> make_scanner(const scan_choice& choice) {
    switch (choice.kind) {
    case row_kind::csv:
    case row_kind::tsv:
    case row_kind::columns:
        return make_csv_scanner(choice);
    case row_kind::ndjson:
    case row_kind::json:
        return make_json_scanner(choice);
    case row_kind::lines:
        return make_address_scanner(choice);
    case row_kind::log:
        break;
    }
    return make_log_scanner(choice);
}

} // namespace fingerpost::cli::enrich
