// Finds members by their paths.
#include "cli/enrich/scan/json_scanner.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/enrich/rows/json_elements.hpp"
#include "cli/enrich/rows/json_line.hpp"
#include "cli/enrich/rows/json_unescape.hpp"
#include "cli/enrich/scan/field_addresses.hpp"
#include "cli/enrich/scan/line_rows.hpp"
#include "terminal/table/column_names.hpp"

namespace fingerpost::cli::enrich {
namespace {

class json_scanner final : public scanner {
  public:
    explicit json_scanner(const scan_choice& choice)
        : choice_(choice), paths_(with_flat_names(choice.members)),
          reader_(paths_, choice.added, choice.nest), found_(paths_.size()) {}

    void scan(scanned_block& into) override {
        if (choice_.kind == row_kind::json)
            return scan_places(into);
        for_each_line(into, [&](std::string_view line, scanned_row& row) {
            if (line.find_first_not_of(" \t") == std::string_view::npos)
                row.is_blank = true;
            else
                scan_object(into, line, row);
        });
    }

  private:
    void scan_places(scanned_block& into) {
        for (const row_place& place : into.block->places) {
            const std::string_view text =
                std::string_view(into.block->bytes).substr(place.begin, place.end - place.begin);
            scanned_row row;
            row.begin = static_cast<std::uint32_t>(place.begin);
            row.insert = row.end = static_cast<std::uint32_t>(place.end);
            row.cells = static_cast<std::uint32_t>(into.cells.size());
            row.is_frame = place.kind == row_place::what::frame;
            row.is_blank = row.is_left_out = place.kind == row_place::what::rest;
            if (place.kind == row_place::what::row && text.size() > max_row_bytes)
                refuse_too_long(into, row, text);
            else if (place.kind == row_place::what::row)
                scan_object(into, text, row);
            row.cell_count = static_cast<std::uint32_t>(into.cells.size()) - row.cells;
            into.add(row);
        }
    }

    void scan_object(scanned_block& into, std::string_view text, scanned_row& row) {
        if (const auto fault_in = reader_.read(text, found_)) {
            row.is_bad = true;
            row.is_readable = false;
            into.refuse_row(fault::malformed, text,
                            fmt::format("the {} {} (byte {})",
                                        choice_.kind == row_kind::json ? "row" : "line", fault_in->reason,
                                        fault_in->offset + 1),
                            row.begin);
            return;
        }
        ++into.readable;
        const json_object& object = reader_.object();
        if (object.existing != json_object::no_name)
            refuse_taken(into, row, object);
        std::size_t closing = object.closing;
        // If a document's object spans several lines, members are added to the line of its last member.
        while (choice_.kind == row_kind::json && is_json_blank(text[closing - 1]))
            --closing;
        row.insert = row.begin + static_cast<std::uint32_t>(closing);
        row.is_empty_object = object.is_empty;
        row.nested = static_cast<std::uint16_t>(object.nested);
        for (std::size_t i = 0; i < choice_.members.size(); ++i)
            ask_member(into, row, i);
    }

    void refuse_taken(scanned_block& into, scanned_row& row, const json_object& object) const {
        row.is_bad = true;
        row.is_readable = false;
        if (object.existing == json_object::blocked)
            into.refuse_row(fault::taken_name, choice_.nest[object.nested],
                            "the row already has a member with this name that is not an object; choose "
                            "another name with --nest",
                            row.begin);
        else
            into.refuse_row(
                fault::taken_name, choice_.added[object.existing],
                fmt::format("the row already has a member with this name; {} renames the added member",
                            rename_hint(choice_.added[object.existing])),
                row.begin);
    }

    void ask_member(scanned_block& into, scanned_row& row, std::size_t number) {
        into.field = static_cast<std::uint16_t>(number);
        const bool is_flat = flat_[number] && found_[number].kind == json_member::what::absent;
        const json_member& member = found_[is_flat ? *flat_[number] : number];
        bool is_found = member.kind != json_member::what::absent;
        if (member.kind == json_member::what::string && !member.has_escapes) {
            ask_field(into, row, choice_.which, member.text, member.text);
        } else {
            address_list list(into, row, choice_.which);
            add_value(list, member, choice_.names[number]);
            for (const json_line::repeated_member& member : reader_.repeated())
                if (member.path == number) {
                    is_found = true;
                    add_value(list, member.member, choice_.names[number]);
                }
            list.finish();
        }
        into.hits |= std::uint64_t{is_found} << number;
    }

    // Adds a string, or an array of strings.
    void add_value(address_list& list, const json_member& member, const std::string& name) {
        if (member.kind != json_member::what::other || !member.text.starts_with('[')) {
            add_text(list, member, "member", name);
            return;
        }
        std::string_view rest = member.text;
        for (json_member element = next_element(rest); element.kind != json_member::what::absent;
             element = next_element(rest))
            add_text(list, element, "an element of member", name);
    }

    void add_text(address_list& list, const json_member& member, const char* what, const std::string& name) {
        if (member.kind == json_member::what::other)
            list.add_other(member.text, fmt::format("{} '{}' is not a string", what, name));
        if (member.kind != json_member::what::string)
            return;
        if (member.has_escapes)
            unescape_json(member.text, scratch_);
        list.add(member.has_escapes ? std::string_view(scratch_) : member.text, member.text);
    }

    // Returns the paths, then, while there is room, the flat member "a.b" for each path `a.b`.
    std::vector<json_path> with_flat_names(const std::vector<json_path>& members) {
        std::vector<json_path> paths = members;
        flat_.resize(members.size());
        for (std::size_t i = 0; i < members.size() && paths.size() < max_json_paths; ++i) {
            const json_path& path = members[i];
            if (path.size() < 2 || !std::all_of(path.begin(), path.end(), std::mem_fn(&json_step::is_name)))
                continue;
            std::string name = path.front().name;
            for (std::size_t step = 1; step < path.size(); ++step)
                name += '.' + path[step].name;
            flat_[i] = paths.size();
            paths.push_back({json_step(std::move(name))});
        }
        return paths;
    }

    const scan_choice& choice_;
    std::vector<std::optional<std::size_t>> flat_; // by member: the path of its flat name
    std::vector<json_path> paths_;
    json_line reader_;
    std::vector<json_member> found_;
    std::string scratch_;
};

} // namespace

std::unique_ptr<scanner> make_json_scanner(const scan_choice& choice) {
    return std::make_unique<json_scanner>(choice);
}

} // namespace fingerpost::cli::enrich
