// Cuts lines into a prefix and a next hop, and passes both to the route taker.
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
// The characters that end a prefix, as a table because every byte of a prefix is tested.
constexpr auto ends_prefix = [] {
    std::array<bool, 256> ends{};
    for (unsigned c = 0; c < ends.size(); ++c)
        ends[c] = is_blank(static_cast<char>(c)) || separates(static_cast<char>(c));
    return ends;
}();

// Takes a prefix. Returns an empty text at the end of the line, at a comment and at a separator.
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

// Takes the text up to the next separator, the end of the line, or a comment.
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

// Takes the separator after a prefix and the blanks around it. Returns a blank if there is no other.
char take_separator(std::string_view& rest) {
    skip_blanks(rest);
    if (rest.empty() || !separates(rest[0]))
        return ' ';
    const char separator = rest[0];
    rest.remove_prefix(1);
    skip_blanks(rest);
    return separator;
}

// Whether the word after an address is its length, valid or not: /8, 255.0.0.0 or the wildcard 0.255.255.255.
// A next hop never looks like that, except 0.0.0.0.
bool is_length_of(std::string_view where, std::string_view word) {
    if (word.starts_with('/'))
        return word.size() > 1 && word.find_first_not_of("0123456789.", 1) == std::string_view::npos;
    const auto mask = parse_address<ipv4_address>(word);
    if (!mask || detect_family(where) != family::ipv4)
        return false;
    const unsigned front = mask->value >> 24;
    if (mask->value == 0)
        return where == "0.0.0.0";
    return front == 255 || netmask_length(*mask) || (front == 0 && wildcard_length(*mask));
}

// Returns the address after a separate dash, `10.0.0.1 - 10.0.0.9`, and moves `rest` past it.
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

// Takes the most frequent lines of large tables, `10.0.0.0/8 a` and `10.0.0.0/8,a`. Returns false for all
// others, and for invalid ones.
bool table_reader::take_usual(std::string_view line) {
    std::string_view rest = line;
    const std::string_view where = take_where(rest);
    skip_blanks(rest);
    const bool has_comma = rest.starts_with(',');
    if (has_comma)
        rest.remove_prefix(1);
    const std::string_view hop = take_word(rest);
    if (!rest.empty() || (!hop.empty() && (separates(hop[0]) || hop[0] == '"')) ||
        where.find('/') == std::string_view::npos || has_control(hop) || lengths_ ||
        (has_comma && hop.find('/') != std::string_view::npos))
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
        return rest.empty() ||
               refuse(line, rest[0] == ',' ? "no prefix before the comma" : "no prefix before the separator");
    char separator = take_separator(rest);
    const bool is_quoted = rest.starts_with('"');
    std::string in_hop;
    auto hop = take_hop(rest, separator, in_hop);
    if (!hop)
        return refuse(line, "a quote is not closed");
    const std::string_view last = is_quoted ? std::string_view() : last_of_range(*hop, rest);
    if (!last.empty() || (!has_own_length(where) && is_length_of(where, *hop))) {
        joined_.assign(where).append(!last.empty() ? "-" : hop->starts_with('/') ? "" : "/");
        where = joined_.append(!last.empty() ? last : *hop);
        skip_blanks(rest);
        if (!rest.empty() && separates(rest[0]))
            separator = take_separator(rest);
        hop = take_hop(rest, separator, in_hop);
        if (!hop)
            return refuse(line, "a quote is not closed");
    } else if (separator != ' ' && !is_quoted && is_prefix_with_length(*hop) &&
               is_prefix_with_length(where)) {
        return refuse(line, several_networks);
    }
    const bool goes_on = separator == ',' && !rest.empty() && is_blank(rest[0]);
    if (!take_word(rest).empty() || !rest.empty())
        return refuse(line, goes_on ? advised("a value with blanks needs quotes here, but not in CSV",
                                              taker_.options().advice.format)
                                    : "more than a prefix and a next hop");
    return take_fields(line, where, *hop);
}

// Returns nothing if a quote is not closed; a missing text if there is none, not even an empty one.
std::optional<std::string_view> table_reader::take_hop(std::string_view& rest, char separator,
                                                       std::string& unescaped) {
    skip_blanks(rest);
    if (rest.starts_with('"'))
        return take_quoted(rest, unescaped);
    const auto or_missing = [](std::string_view hop) { return hop.empty() ? missing_cell : hop; };
    if (separator != ';' && separator != '|')
        return or_missing(take_word(rest));
    const std::string_view hop = take_separated(rest, separator);
    // Tables with ruled lines also have a separator at the end.
    if (rest.starts_with(separator))
        rest.remove_prefix(1);
    return or_missing(hop);
}

bool table_reader::take_fields(std::string_view line, std::string_view where, std::string_view hop) {
    if (has_control(hop))
        return refuse(line, "control character in the next hop");
    if (!taker_.has_begun() && !has_header_ && !detect_family(where) && is_network_name(where))
        return take_header(line, where, hop);
    if (lengths_) {
        const bool is_value = has_own_length(where);
        if (const auto fault = join_length(where, hop, {lengths_->is_wildcard, is_value}, joined_))
            return refuse(fault->text, fault->reason);
        if (!is_value)
            hop = {};
    }
    return take_route(where, hop);
}

bool table_reader::take_header(std::string_view line, std::string_view where, std::string_view hop) {
    has_header_ = true;
    if (is_length_name(hop))
        lengths_ = length_rule{.is_wildcard = plain_name(hop).starts_with("wildcard")};
    return name_columns(line, {std::string(where), std::string(hop.empty() ? "next_hop" : hop)});
}

bool table_reader::name_columns(std::string_view line, std::vector<std::string> names) {
    const auto network = find_network(names, taker_.options().network);
    if (!network)
        return fail(line, network.error());
    const auto columns = selection_.choose(names, network_columns{0}, taker_.options().values);
    if (!columns)
        return fail(line, columns.error());
    taker_.builder().set_columns(views(*columns));
    is_named_ = true;
    return true;
}

bool table_reader::take_route(std::string_view where, std::string_view hop) {
    if (!is_named_ && !name_columns({}, {"prefix", "next_hop"}))
        return false;
    const std::array cells{where, hop};
    // Lines of take_usual() have no quotes, and so no empty texts.
    taker_.builder().keep_empty_texts();
    const auto fault = taker_.options().values.empty() ? taker_.add(where, std::span(&hop, 1))
                                                       : taker_.add(where, selection_.of(cells));
    taker_.builder().keep_empty_texts(false);
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

// `user_names`: network columns that the user named. A header must begin with the first of them.
bool is_text(std::string_view line, const std::vector<std::string>& user_names) {
    if (line.starts_with('"'))
        line.remove_prefix(1);
    const std::size_t size = std::min(line.find_first_of(" \t,;|\""), line.size());
    const std::string_view word = line.substr(0, size);
    const bool is_header = is_network_name(word) && (user_names.empty() || user_names.front() == word);
    return starts_like_prefix(word) || is_header || word.empty();
}

} // namespace

extern const format_entry text_format;
constinit const format_entry text_format{
    .name = "text",
    .summary = "`prefix` or `prefix next_hop` lines",
    .written_as = "text",
    .has_line = [](const detected_line& at,
                   const table_options& options) { return is_text(at.line, options.network); },
    .open = open_reader<table_reader>};

} // namespace fingerpost::io
