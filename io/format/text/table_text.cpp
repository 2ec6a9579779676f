// The table reader: cuts lines into a prefix and a next hop, and passes both to the route taker.
#include "io/format/text/table_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "io/format/parts/format_entry.hpp"
#include "io/format/parts/table_columns.hpp"
#include "io/format/parts/text_field.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

constexpr bool separates(char c) noexcept {
    return c == ',' || c == ';' || c == '|';
}
// The characters that end a prefix: a table, because every byte of a prefix is tested.
constexpr auto ends_prefix = [] {
    std::array<bool, 256> ends{};
    for (unsigned c = 0; c < ends.size(); ++c)
        ends[c] = is_blank(static_cast<char>(c)) || separates(static_cast<char>(c));
    return ends;
}();

// A prefix; nothing at the end of the line, at a comment and at a separator.
std::string_view take_where(std::string_view& rest) {
    skip_blanks(rest);
    if (rest.starts_with('#'))
        rest = {};
    std::size_t size = 0;
    while (size < rest.size() && !ends_prefix[static_cast<unsigned char>(rest[size])])
        ++size;
    const std::string_view word = rest.substr(0, size);
    rest.remove_prefix(size);
    return word;
}

// The text between a separator and the next one, the end of the line, or a comment.
std::string_view take_separated(std::string_view& rest, char separator) {
    std::size_t size = 0;
    while (size < rest.size() && rest[size] != separator) {
        if (rest[size] == '#' && (size == 0 || is_blank(rest[size - 1]))) {
            rest = rest.substr(0, size);
            break;
        }
        ++size;
    }
    const std::string_view field = trimmed(rest.substr(0, size));
    rest.remove_prefix(size);
    return field;
}

// Whether the word behind an address is its mask: no next hop is 255.0.0.0, but 0.0.0.0 may be one.
bool is_mask_of(std::string_view where, std::string_view word) {
    const auto length = mask_length(word);
    return length && detect_family(where) == family::ipv4 && (*length != 0 || where == "0.0.0.0");
}

// The address behind a dash that stands alone, `10.0.0.1 - 10.0.0.9`; then `rest` is what follows it.
std::string_view last_of_range(std::string_view dash, std::string_view& rest) {
    std::string_view after = rest;
    const std::string_view last = dash == "-" ? take_word(after) : std::string_view();
    if (!detect_family(last))
        return {};
    rest = after;
    return last;
}

} // namespace

table_reader::table_reader(std::string file, table_options options)
    : line_reader(fault_log(std::move(file), options.skip_bad, options.on_skip), "a table", options.policy),
      taker_(options) {}

bool table_reader::feed(std::string_view chunk) {
    return feed_lines(chunk, [this](std::string_view line) { return take_line(line); });
}

bool table_reader::take_line(std::string_view line) {
    return take_usual(line) || take_any(line);
}

// Takes the most frequent lines of large tables, `10.0.0.0/8 a` and `10.0.0.0/8,a`; false for all others, and
// for wrong ones.
bool table_reader::take_usual(std::string_view line) {
    std::string_view rest = line;
    const std::string_view where = take_where(rest);
    skip_blanks(rest);
    if (rest.starts_with(','))
        rest.remove_prefix(1);
    const std::string_view hop = take_word(rest);
    if (!rest.empty() || (!hop.empty() && (separates(hop[0]) || hop[0] == '"')) ||
        where.find('/') == std::string_view::npos || has_control(hop))
        return false;
    return taker_.options().values.empty() && taker_.add_usual(where, std::span(&hop, 1));
}

bool table_reader::take_any(std::string_view line) {
    if (has_return(line))
        return refuse(line, return_in_line);
    if (line.starts_with(';'))
        return true;
    std::string_view rest = line;
    std::string in_where;
    std::string_view where = take_where(rest);
    if (where.starts_with('"')) {
        rest = trimmed(line);
        const auto quoted_where = take_quoted(rest, in_where);
        if (!quoted_where)
            return refuse(line, "a quote is not closed");
        where = trimmed(*quoted_where);
    }
    if (where.empty())
        return rest.empty() || refuse(line, rest[0] == ',' ? "there is no prefix in front of the comma"
                                                           : "there is no prefix in front of the separator");
    skip_blanks(rest);
    const char separator = !rest.empty() && separates(rest[0]) ? rest[0] : ' ';
    if (separator != ' ') {
        rest.remove_prefix(1);
        skip_blanks(rest);
    }
    std::string in_hop;
    std::string_view hop;
    if (rest.starts_with('"')) {
        const auto quoted_hop = take_quoted(rest, in_hop);
        if (!quoted_hop)
            return refuse(line, "a quote is not closed");
        hop = *quoted_hop;
    } else if (separator == ';' || separator == '|') {
        hop = take_separated(rest, separator);
        // Tables drawn with lines have a separator at the end too.
        if (rest.starts_with(separator))
            rest.remove_prefix(1);
    } else {
        hop = take_word(rest);
        std::string joined;
        if (const std::string_view last = last_of_range(hop, rest); !last.empty())
            joined = std::string(where).append("-").append(last);
        else if (where.find('/') == std::string_view::npos && is_mask_of(where, hop))
            joined = std::string(where).append("/").append(hop);
        if (!joined.empty()) {
            in_where = std::move(joined);
            where = in_where;
            skip_blanks(rest);
            if (rest.starts_with(','))
                rest.remove_prefix(1);
            hop = take_word(rest);
        }
    }
    if (!take_word(rest).empty() || !rest.empty())
        return refuse(line, "more than a prefix and a next hop");
    return take_fields(line, where, hop);
}

bool table_reader::take_fields(std::string_view line, std::string_view where, std::string_view hop) {
    if (has_control(hop))
        return refuse(line, "control character in the next hop");
    if (!taker_.has_begun() && !has_header_ && !detect_family(where) && is_network_name(where))
        return take_header(line, where, hop);
    return take_route(where, hop);
}

bool table_reader::take_header(std::string_view line, std::string_view where, std::string_view hop) {
    has_header_ = true;
    return name_columns(line, {std::string(where), std::string(hop.empty() ? "next_hop" : hop)});
}

bool table_reader::name_columns(std::string_view line, std::vector<std::string> names) {
    const auto network = find_network(names, taker_.options().network);
    if (!network)
        return fail(line, network.error());
    const auto found = kept_.choose(names, network_columns{0}, taker_.options().values);
    if (!found)
        return fail(line, found.error());
    taker_.builder().set_columns(views(*found));
    is_named_ = true;
    return true;
}

bool table_reader::take_route(std::string_view where, std::string_view hop) {
    if (!is_named_ && !name_columns({}, {"prefix", "next_hop"}))
        return false;
    const std::array cells{where, hop};
    const auto fault = taker_.options().values.empty() ? taker_.add(where, std::span(&hop, 1))
                                                       : taker_.add(where, kept_.of(cells));
    return !fault || refuse(fault->text, fault->reason);
}

std::optional<input_error> table_reader::complete() {
    auto error = finish_lines([this](std::string_view line) { return take_line(line); });
    taker_.builder().count(skipped(), 0);
    return error;
}

expected<both_tables, input_error> table_reader::finish_both() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(taker_).finish_both(lines_read());
}

expected<one_table, input_error> table_reader::finish() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(taker_).finish(lines_read());
}

namespace {

bool is_text(std::string_view line) {
    if (line.starts_with('"'))
        line.remove_prefix(1);
    const std::size_t size = std::min(line.find_first_of(" \t,;|\""), line.size());
    const std::string_view word = line.substr(0, size);
    return starts_like_prefix(word) || is_network_name(word) || word.empty();
}

} // namespace

extern const format_entry text_format;
constinit const format_entry text_format{
    .name = "text",
    .summary = "`prefix` or `prefix next_hop` lines",
    .beginning = "prefix",
    .written_as = "text",
    .has_line = [](const detected_line& at, const table_options&) { return is_text(at.line); },
    .open = open_reader<table_reader>};

} // namespace fingerpost::io
