// Reads fields by number from rows with a fixed number of fields.
#include "cli/enrich/scan/csv_scanner.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/enrich/rows/comment_header.hpp"
#include "cli/enrich/rows/csv_rows.hpp"
#include "cli/enrich/scan/field_addresses.hpp"
#include "cli/enrich/scan/line_rows.hpp"

namespace fingerpost::cli::enrich {
namespace {

class csv_scanner final : public scanner {
  public:
    explicit csv_scanner(const scan_choice& choice)
        : choice_(choice), wanted_(choice.columns), fields_(choice.columns.size()) {
        std::sort(wanted_.begin(), wanted_.end());
        wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
        for (const std::size_t column : choice.columns)
            places_.push_back(static_cast<std::size_t>(
                std::lower_bound(wanted_.begin(), wanted_.end(), column) - wanted_.begin()));
    }

    void scan(scanned_block& into) override {
        const std::string& bytes = into.block->bytes;
        const char* const begin = bytes.data();
        const char* const end = begin + bytes.size();
        const auto offset = [begin](const char* at) { return static_cast<std::uint32_t>(at - begin); };
        auto lines = into.block->by_line.begin();
        for (const char* at = begin; at != end;) {
            while (lines != into.block->by_line.end() && lines->end <= offset(at))
                ++lines;
            const bool by_line = lines != into.block->by_line.end() && lines->begin <= offset(at);
            const csv_row csv =
                read_csv_row(at, by_line ? behind_line(at, end) : end, choice_.dialect, wanted_, fields_);
            scanned_row row;
            row.begin = offset(at);
            row.insert = offset(csv.end);
            row.end = offset(csv.next);
            row.cells = static_cast<std::uint32_t>(into.cells.size());
            const std::string_view text(at, static_cast<std::size_t>(csv.end - at));
            if (text.empty())
                row.is_blank = true;
            else if (!choice_.name_line.empty() && text.front() == '#')
                scan_comment(into, row, text);
            else if (static_cast<std::size_t>(csv.next - at) > max_row_bytes && is_too_long(csv, at))
                refuse_too_long(into, row, text);
            else if (by_line && has_open_quote(text, choice_.dialect))
                leave_out(into, row, text.substr(0, text.find_last_not_of("\r\n") + 1),
                          "a quote is not closed; the line is left out");
            else if (csv.columns != choice_.width)
                refuse_width(into, row, text, csv.columns);
            else
                ask_fields(into, row);
            row.cell_count = static_cast<std::uint32_t>(into.cells.size()) - row.cells;
            into.add(row);
            if (into.is_over)
                return;
            at = csv.next;
        }
    }

  private:
    void ask_fields(scanned_block& into, scanned_row& row) {
        into.field = 0;
        for (const std::size_t place : places_) {
            const std::string_view raw = fields_[place];
            const std::string_view text = csv_text(raw, choice_.dialect, scratch_);
            if (text.find_first_not_of(" \t") == std::string_view::npos)
                into.ask_nothing();
            else
                ask_field(into, row, choice_.which, text, text.data() == scratch_.data() ? raw : text);
            ++into.field;
        }
    }
    // Passes comments on, except for a repeated header, as in concatenated files.
    void scan_comment(scanned_block& into, scanned_row& row, std::string_view text) const {
        row.is_blank = true;
        row.is_left_out = is_type_line(text) || is_name_line(text);
        if (is_name_line(text) && text.substr(0, text.find_last_not_of("\r\n") + 1) != choice_.name_line)
            into.end_with(text, "the columns change here; put the remaining rows into a separate file",
                          row.begin);
    }
    static const char* behind_line(const char* at, const char* end) {
        const void* const line_feed = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
        return line_feed != nullptr ? static_cast<const char*>(line_feed) + 1 : end;
    }
    static bool is_too_long(const csv_row& row, const char* at) {
        return static_cast<std::size_t>(row.next - at) - (row.next[-1] == '\n' ? 1 : 0) > max_row_bytes;
    }
    static void leave_out(scanned_block& into, scanned_row& row, std::string_view text, std::string reason) {
        row.is_bad = row.is_left_out = true;
        into.refuse_row(fault::malformed, text, std::move(reason), row.begin);
    }
    // If the number of fields is wrong, it is unknown which one is the address. Missing fields are added as
    // empty ones. Extra fields would stand below the names of added columns.
    void refuse_width(scanned_block& into, scanned_row& row, std::string_view text, std::size_t count) const {
        std::string reason = fmt::format("{} field{}, but the {} has {}", count, count == 1 ? "" : "s",
                                         choice_.has_header ? "header" : "first row", choice_.width);
        if (count > choice_.width)
            return leave_out(into, row, text, reason + "; the row is left out");
        row.is_bad = true;
        row.missing = static_cast<std::uint32_t>(choice_.width - count);
        into.refuse_row(fault::malformed, text, std::move(reason), row.begin);
        for (into.field = 0; into.field < places_.size(); ++into.field)
            into.ask_nothing();
    }

    const scan_choice& choice_;
    std::vector<std::size_t> wanted_; // ascending
    std::vector<std::size_t> places_; // index in wanted_ of each named column
    std::vector<std::string_view> fields_;
    std::string scratch_;
};

} // namespace

std::unique_ptr<scanner> make_csv_scanner(const scan_choice& choice) {
    return std::make_unique<csv_scanner>(choice);
}

} // namespace fingerpost::cli::enrich
