// Scanners of CSV and TSV, NDJSON and plain addresses; log_scanner.cpp has that of log lines.
#include "cli/enrich/scanner.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "cli/enrich/line_rows.hpp"
#include "cli/enrich/log_scanner.hpp"

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
        for (const char* at = begin; at != end;) {
            const csv_row found = read_csv_row(at, end, choice_.dialect, wanted_, fields_);
            scanned_row row;
            row.begin = offset(at);
            row.insert = offset(found.end);
            row.end = offset(found.next);
            row.cells = static_cast<std::uint32_t>(into.cells.size());
            const std::string_view text(at, static_cast<std::size_t>(found.end - at));
            const std::size_t size =
                static_cast<std::size_t>(found.next - at) - (found.next[-1] == '\n' ? 1 : 0);
            if (text.empty())
                row.is_blank = true;
            else if (size > max_row_bytes)
                refuse_too_long(into, row, text);
            else if (found.found < wanted_.size())
                refuse_short(into, row, text, found.found);
            else
                ask_fields(into, row);
            row.cell_count = static_cast<std::uint32_t>(into.cells.size()) - row.cells;
            into.add(row);
            at = found.next;
        }
    }

  private:
    void ask_fields(scanned_block& into, scanned_row& row) {
        for (const std::size_t place : places_) {
            const std::string_view raw = fields_[place];
            const std::string_view text = csv_text(raw, choice_.dialect, scratch_);
            if (text.find_first_not_of(" \t") == std::string_view::npos)
                into.ask_nothing();
            else
                ask_field(into, row, text, text.data() == scratch_.data() ? raw : text);
        }
    }
    void refuse_short(scanned_block& into, scanned_row& row, std::string_view text, std::size_t found) const {
        row.is_bad = true;
        const std::size_t missing =
            static_cast<std::size_t>(std::find(places_.begin(), places_.end(), found) - places_.begin());
        into.refuse_row(
            fault::malformed, text,
            fmt::format("the row ends before column {}, '{}'", wanted_[found] + 1, choice_.names[missing]),
            row.begin);
        for (std::size_t i = 0; i < places_.size(); ++i)
            into.ask_nothing();
    }

    const scan_choice& choice_;
    std::vector<std::size_t> wanted_; // growing
    std::vector<std::size_t> places_; // of each named column in wanted_
    std::vector<std::string_view> fields_;
    std::string scratch_;
};

class json_scanner final : public scanner {
  public:
    explicit json_scanner(const scan_choice& choice)
        : choice_(choice), reader_(choice.members), found_(choice.members.size()) {}

    void scan(scanned_block& into) override {
        for_each_line(into, [&](std::string_view line, scanned_row& row) {
            if (line.find_first_not_of(" \t") == std::string_view::npos) {
                row.is_blank = true;
                return;
            }
            if (const auto fault_in = reader_.read(line, found_)) {
                row.is_bad = true;
                row.is_readable = false;
                into.refuse_row(fault::malformed, line,
                                fmt::format("the line {} (byte {})", fault_in->reason, fault_in->offset + 1),
                                row.begin);
                return;
            }
            row.insert = row.begin + static_cast<std::uint32_t>(reader_.object().closing);
            row.is_empty_object = reader_.object().is_empty;
            for (std::size_t i = 0; i < found_.size(); ++i)
                ask_member(into, row, found_[i], choice_.names[i]);
        });
    }

  private:
    void ask_member(scanned_block& into, scanned_row& row, const json_member& member,
                    const std::string& name) {
        switch (member.kind) {
        case json_member::what::absent:
        case json_member::what::null:
            into.ask_nothing();
            return;
        case json_member::what::other:
            row.is_bad = true;
            into.refuse(member.text, fmt::format("member '{}' is no string", name), row.begin);
            return;
        case json_member::what::string:
            break;
        }
        std::string_view text = member.text;
        if (member.has_escapes) {
            unescape_json(text, scratch_);
            text = scratch_;
        }
        if (text.empty())
            into.ask_nothing();
        else
            ask_field(into, row, text, member.text);
    }

    const scan_choice& choice_;
    json_line reader_;
    std::vector<json_member> found_;
    std::string scratch_;
};

// An address a line, with what `lookup` leaves out too: blanks, and comments from a `#` that begins a word.
class address_scanner final : public scanner {
  public:
    void scan(scanned_block& into) override {
        for_each_line(into, [&](std::string_view line, scanned_row& row) {
            const std::string_view text = without_comment(line);
            if (text.empty())
                row.is_blank = true;
            else
                ask_field(into, row, text, text);
        });
    }

  private:
    static std::string_view without_comment(std::string_view line) {
        constexpr std::string_view blanks = " \t";
        for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1))
            if (at == 0 || blanks.find(line[at - 1]) != std::string_view::npos) {
                line = line.substr(0, at);
                break;
            }
        line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
        return line.substr(0, line.find_last_not_of(blanks) + 1);
    }
};

} // namespace

std::unique_ptr<scanner> make_scanner(const scan_choice& choice) {
    switch (choice.kind) {
    case row_kind::csv:
    case row_kind::tsv:
        return std::make_unique<csv_scanner>(choice);
    case row_kind::ndjson:
        return std::make_unique<json_scanner>(choice);
    case row_kind::lines:
        return std::make_unique<address_scanner>();
    case row_kind::log:
        break;
    }
    return make_log_scanner(choice);
}

} // namespace fingerpost::cli::enrich
