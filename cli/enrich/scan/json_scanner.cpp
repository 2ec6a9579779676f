// Members by their paths.
#include "cli/enrich/scan/json_scanner.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enrich/rows/json_line.hpp"
#include "cli/enrich/rows/json_unescape.hpp"
#include "cli/enrich/scan/line_rows.hpp"
#include "terminal/table/column_names.hpp"

namespace fingerpost::cli::enrich {
namespace {

class json_scanner final : public scanner {
  public:
    explicit json_scanner(const scan_choice& choice)
        : choice_(choice), reader_(choice.members, choice.added, choice.nest), found_(choice.members.size()) {
    }

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
            const json_object& object = reader_.object();
            if (object.taken != json_object::untaken)
                refuse_taken(into, row, object);
            row.insert = row.begin + static_cast<std::uint32_t>(object.closing);
            row.is_empty_object = object.is_empty;
            row.nested = static_cast<std::uint16_t>(object.nested);
            for (std::size_t i = 0; i < found_.size(); ++i)
                ask_member(into, row, found_[i], choice_.names[i], i);
        });
    }

  private:
    void refuse_taken(scanned_block& into, scanned_row& row, const json_object& object) const {
        row.is_bad = true;
        row.is_readable = false;
        if (object.taken == json_object::blocked)
            into.refuse_row(
                fault::taken_name, choice_.nest[object.nested],
                "the row has such a member already, and it is no object; --nest can name another one",
                row.begin);
        else
            into.refuse_row(
                fault::taken_name, choice_.added[object.taken],
                fmt::format("the row has such a member already; {} gives the added one another name",
                            rename_hint(choice_.added[object.taken])),
                row.begin);
    }

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

} // namespace

std::unique_ptr<scanner> make_json_scanner(const scan_choice& choice) {
    return std::make_unique<json_scanner>(choice);
}

} // namespace fingerpost::cli::enrich
