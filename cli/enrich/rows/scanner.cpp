// Scanners of CSV and TSV, NDJSON and plain addresses; log_scanner.cpp has that of log lines.
#include "cli/enrich/rows/scanner.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "cli/enrich/rows/line_rows.hpp"
#include "cli/enrich/rows/log_scanner.hpp"
#include "terminal/table/column_names.hpp"

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
            const csv_row found =
                read_csv_row(at, by_line ? behind_line(at, end) : end, choice_.dialect, wanted_, fields_);
            scanned_row row;
            row.begin = offset(at);
            row.insert = offset(found.end);
            row.end = offset(found.next);
            row.cells = static_cast<std::uint32_t>(into.cells.size());
            const std::string_view text(at, static_cast<std::size_t>(found.end - at));
            if (text.empty())
                row.is_blank = true;
            else if (static_cast<std::size_t>(found.next - at) > max_row_bytes && is_too_long(found, at))
                refuse_too_long(into, row, text);
            else if (by_line && has_open_quote(text, choice_.dialect))
                leave_out(into, row, text.substr(0, text.find_last_not_of("\r\n") + 1),
                          "a quote is not closed; the line is left out");
            else if (found.columns != choice_.width)
                refuse_width(into, row, text, found.columns);
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
    static const char* behind_line(const char* at, const char* end) {
        const void* const found = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
        return found != nullptr ? static_cast<const char*>(found) + 1 : end;
    }
    static bool is_too_long(const csv_row& row, const char* at) {
        return static_cast<std::size_t>(row.next - at) - (row.next[-1] == '\n' ? 1 : 0) > max_row_bytes;
    }
    static void leave_out(scanned_block& into, scanned_row& row, std::string_view text, std::string reason) {
        row.is_bad = row.is_left_out = true;
        into.refuse_row(fault::malformed, text, std::move(reason), row.begin);
    }
    // In a row with too few or too many fields nobody knows which one is the address. Too few are filled up;
    // what is too much would stand under the names of added columns.
    void refuse_width(scanned_block& into, scanned_row& row, std::string_view text, std::size_t found) const {
        std::string reason = fmt::format("{} field{}, but the {} has {}", found, found == 1 ? "" : "s",
                                         choice_.has_header ? "header" : "first row", choice_.width);
        if (found > choice_.width)
            return leave_out(into, row, text, reason + "; the row is left out");
        row.is_bad = true;
        row.missing = static_cast<std::uint32_t>(choice_.width - found);
        into.refuse_row(fault::malformed, text, std::move(reason), row.begin);
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
        : choice_(choice), reader_(choice.members, choice.added), found_(choice.members.size()) {}

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
            ++into.readable;
            if (const std::size_t taken = reader_.object().taken; taken != choice_.added.size()) {
                row.is_bad = true;
                row.is_readable = false;
                into.refuse_row(
                    fault::taken_name, choice_.added[taken],
                    fmt::format("the row has such a member already; {} gives the added one another name",
                                rename_hint(choice_.added[taken])),
                    row.begin);
            }
            row.insert = row.begin + static_cast<std::uint32_t>(reader_.object().closing);
            row.is_empty_object = reader_.object().is_empty;
            for (std::size_t i = 0; i < found_.size(); ++i)
                ask_member(into, row, found_[i], choice_.names[i], i);
        });
    }

  private:
    void ask_member(scanned_block& into, scanned_row& row, const json_member& member, const std::string& name,
                    std::size_t number) {
        into.found |= std::uint64_t{member.kind != json_member::what::absent} << number;
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
        // Behind a carriage return alone there are further lines, which are no comment.
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
