// Lines without their blanks and comments.
#include "cli/enrich/scan/address_scanner.hpp"

#include <algorithm>
#include <string_view>

#include "cli/enrich/scan/field_addresses.hpp"
#include "cli/enrich/scan/line_rows.hpp"

namespace fingerpost::cli::enrich {
namespace {

// Reads an address per line. Like `lookup`, ignores blanks, and comments from a `#` at the start of a word.
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
    static std::string_view without_comment(std::string_view line) {
        constexpr std::string_view blanks = " \t";
        // Further lines follow a lone carriage return; they are not part of the comment.
        if (line.find('\r') != std::string_view::npos)
            return line;
        for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1))
            if (at == 0 || blanks.find(line[at - 1]) != std::string_view::npos) {
                line = line.substr(0, at);
                break;
            }
        line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
        return line.substr(0, line.find_last_not_of(blanks) + 1);
    }

    which_address which_;
};

} // namespace

std::unique_ptr<scanner> make_address_scanner(const scan_choice& choice) {
    return std::make_unique<address_scanner>(choice);
}

} // namespace fingerpost::cli::enrich
