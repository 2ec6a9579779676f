// Lines without their blanks and comments.
#include "cli/enrich/scan/address_scanner.hpp"

#include <string_view>

#include "cli/answers/address_field.hpp"
#include "cli/enrich/scan/field_addresses.hpp"
#include "cli/enrich/scan/line_rows.hpp"

namespace fingerpost::cli::enrich {
namespace {

// Reads an address per line, like `lookup`.
class address_scanner final : public scanner {
  public:
    explicit address_scanner(const scan_choice& choice) : which_(choice.which) {}

    void scan(scanned_block& into) override {
        for_each_line(into, [&](std::string_view line, scanned_row& row) {
            const std::string_view text = without_comment(line);
            if (text.empty())
                row.is_blank = true;
            else
                ask_field(into, row, which_, text, text);
        });
    }

  private:
    which_address which_;
};

} // namespace

std::unique_ptr<scanner> make_address_scanner(const scan_choice& choice) {
    return std::make_unique<address_scanner>(choice);
}

} // namespace fingerpost::cli::enrich
