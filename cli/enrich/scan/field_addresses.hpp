// The addresses of a field: usually one, or a list as in X-Forwarded-For, or a word for a missing address.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/enrich/rows/input_kinds.hpp"
#include "cli/enrich/scan/scanned.hpp"

namespace fingerpost::cli::enrich {

// Takes the texts of a field one by one, each of which may be a list with commas, and adds the chosen
// addresses.
class address_list {
  public:
    address_list(scanned_block& into, scanned_row& row, which_address which)
        : into_(into), row_(row), which_(which) {}

    // `shown` is the place of the text in the row. It is the text itself unless that was unescaped.
    void add(std::string_view text, std::string_view shown);
    // Adds an array element that is not a string.
    void add_other(std::string_view shown, std::string reason);
    // Adds a cell without an address if there was none.
    void finish();

  private:
    struct entry {
        std::optional<any_address> address;
        std::string reason; // set if it is not an address
        std::string_view shown;
    };

    static entry read(std::string_view text, std::string_view shown);
    void take(entry item);
    void put(entry item);
    bool is_done() const noexcept { return which_ == which_address::first && count_ != 0; }

    scanned_block& into_;
    scanned_row& row_;
    which_address which_;
    std::size_t count_ = 0;
    std::optional<entry> last_;
};

inline void ask_field(scanned_block& into, scanned_row& row, which_address which, std::string_view text,
                      std::string_view shown) {
    if (const auto parsed = parse_field(text))
        return into.ask(*parsed, shown);
    address_list list(into, row, which);
    list.add(text, shown);
    list.finish();
}

} // namespace fingerpost::cli::enrich
