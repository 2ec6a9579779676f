// Distinguishes times, announcements and withdrawals.
#include "io/format/updates/update_line.hpp"

#include <algorithm>
#include <charconv>

#include "fingerpost/values/column_type.hpp"
#include "io/format/parts/lines.hpp"
#include "io/format/parts/text_field.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

constexpr std::string_view header_verb = "change";
constexpr std::string_view header_prefix = "prefix";
// The limit for tables.
constexpr std::size_t max_update_columns = 1000;

bool is_decimal(std::string_view word) {
    return !word.empty() &&
           std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::uint64_t> decimal_value(std::string_view digits) {
    std::uint64_t number = 0;
    const auto [stop, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return fault == std::errc{} ? std::optional<std::uint64_t>(number) : std::nullopt;
}

void skip_separator(std::string_view& rest) {
    skip_blanks(rest);
    if (rest.starts_with(','))
        rest.remove_prefix(1);
}

std::string_view take_separated(std::string_view& rest) {
    skip_separator(rest);
    return take_word(rest);
}

bool is_at_end(std::string_view& rest) {
    skip_blanks(rest);
    return rest.empty() || rest[0] == '#';
}

const char* fault_of(const std::vector<std::string>& columns) {
    if (columns.empty())
        return "no columns";
    if (columns.size() > max_update_columns)
        return "more than 1000 columns";
    for (auto column = columns.begin(); column != columns.end(); ++column)
        if (std::find(columns.begin(), column, *column) != column)
            return "two columns have the same name";
    return nullptr;
}

void append_cells(std::span<const std::string_view> cells, std::string& out) {
    for (const std::string_view cell : cells) {
        out += ' ';
        append_text_field(out, cell);
    }
    out += '\n';
}

} // namespace

expected<update_cutter::line_kind, std::string> update_cutter::cut(std::string_view line) {
    if (has_return(line))
        return unexpected{std::string(return_in_line)};
    std::string_view rest = line;
    std::string_view verb = take_word(rest);
    if (verb.empty() && rest.empty())
        return line_kind::empty;
    if (verb == header_verb)
        return cut_header(rest);
    update_.seconds.reset();
    if (is_decimal(verb)) {
        update_.seconds = decimal_value(verb);
        verb = take_separated(rest);
    }
    return cut_update(verb, rest);
}

expected<update_cutter::line_kind, std::string> update_cutter::cut_header(std::string_view rest) {
    if (take_separated(rest) != header_prefix)
        return unexpected{std::string("expected `change prefix COLUMN ...`")};
    if (std::string reason = take_cells(rest); !reason.empty())
        return unexpected{std::move(reason)};
    std::vector<std::string> columns(cells_.begin(), cells_.end());
    if (const char* const fault = fault_of(columns); fault != nullptr)
        return unexpected{std::string(fault)};
    if (has_begun_ && columns != columns_)
        return unexpected{std::string("the columns differ from those of the preceding updates")};
    has_begun_ = true;
    columns_ = std::move(columns);
    return line_kind::header;
}

expected<update_cutter::line_kind, std::string> update_cutter::cut_update(std::string_view verb,
                                                                          std::string_view rest) {
    update_.announced = verb == "A" || verb == "a";
    if (!update_.announced && verb != "W" && verb != "w")
        return unexpected{std::string("not an update (`A prefix next_hop` or `W prefix`)")};
    update_.where = take_separated(rest);
    if (update_.where.empty())
        return unexpected{std::string("no prefix")};
    if (std::string reason = take_cells(rest); !reason.empty())
        return unexpected{std::move(reason)};
    if (cells_.size() > columns_.size())
        return unexpected{columns_.size() == 1
                              ? std::string("more than a prefix and a next hop")
                              : "more than a prefix and " + std::to_string(columns_.size()) + " values"};
    if (update_.announced && !cells_.empty() && cells_.size() < columns_.size())
        return unexpected{std::to_string(cells_.size()) + (cells_.size() == 1 ? " value" : " values") +
                          ", but the header names " + std::to_string(columns_.size()) + " columns"};
    has_begun_ = true;
    cells_.resize(columns_.size());
    update_.cells =
        update_.announced ? std::span<const std::string_view>(cells_) : std::span<const std::string_view>();
    return line_kind::update;
}

// Returns a description of the fault in the cells; empty if they are valid.
std::string update_cutter::take_cells(std::string_view rest) {
    cells_.clear();
    std::size_t unquoted = 0;
    while (!is_at_end(rest)) {
        skip_separator(rest);
        skip_blanks(rest);
        if (!rest.starts_with('"')) {
            cells_.push_back(take_word(rest));
        } else {
            if (unquoted == unquoted_.size())
                unquoted_.emplace_back();
            const auto field = take_quoted(rest, unquoted_[unquoted++]);
            if (!field)
                return "a quote is not closed";
            if (!rest.empty() && !ends_word(rest[0]))
                return "text after a closing quote";
            // An empty text stands for a missing cell before other cells.
            cells_.push_back(field->empty() ? missing_cell : *field);
        }
        if (has_control(cells_.back()))
            return "control character in the next hop";
    }
    return {};
}

const char* update_refusal(std::span<const std::string_view> texts) noexcept {
    // For the verb and the prefix, which are shorter than this.
    std::size_t size = 64;
    for (const std::string_view text : texts) {
        if (has_control(text))
            return "has control characters, which updates in text form cannot have";
        size += text.size() + 3 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '"'));
    }
    return size > max_line_bytes ? "is too long for a line of updates" : nullptr;
}

void append_update_header(std::span<const std::string_view> columns, std::string& out) {
    out.append(header_verb).append(" ").append(header_prefix);
    append_cells(columns, out);
}

void append_announcement(std::string_view where, std::span<const std::string_view> cells, std::string& out) {
    out.append("A ").append(where);
    // A line without values means that they are missing; an empty text is written like a missing value.
    const bool is_empty = cells.size() == 1 && cells[0].empty();
    append_cells(cells.first(is_empty ? 0 : cells.size()), out);
}

void append_withdrawal(std::string_view where, std::string& out) {
    out.append("W ").append(where).append("\n");
}

} // namespace fingerpost::io
