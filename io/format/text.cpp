// The table reader: cuts lines into words, parses the prefix, hands both to the builder.
#include "io/format/text.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "io/format/words.hpp"

namespace fingerpost::io {

table_reader::table_reader(std::string file, table_options options)
    : line_reader(std::move(file), "a table", options.policy), made_(options) {}

bool table_reader::feed(std::string_view chunk) {
    return feed_lines(chunk, [this](std::string_view line) { return take_line(line); });
}

bool table_reader::take_line(std::string_view line) {
    std::string_view rest = line;
    const std::string_view where = take_word(rest);
    if (where.empty())
        return rest.empty() || refuse(line, "there is no prefix in front of the comma");
    skip_blanks(rest);
    if (rest.starts_with(','))
        rest.remove_prefix(1);
    const std::string_view hop = take_word(rest);
    if (std::any_of(hop.begin(), hop.end(), is_control))
        return refuse(line, "control character in the next hop");
    if (!take_word(rest).empty() || !rest.empty())
        return refuse(line, "more than a prefix and a next hop");
    return take_route(where, hop);
}

bool table_reader::take_route(std::string_view where, std::string_view hop) {
    const auto seen = detect_family(where);
    switch (made_.choose(seen)) {
    case table_builder::choice::skip:
        return true;
    case table_builder::choice::refuse:
        return refuse(where, made_.refusal(*seen));
    case table_builder::choice::take:
        break;
    }
    return made_.kind() == family::ipv4 ? add<ipv4_address>(where, hop) : add<ipv6_address>(where, hop);
}

template <class A>
bool table_reader::add(std::string_view where, std::string_view hop) {
    const std::uint64_t masked_before = masked();
    const auto p = take_prefix<A>(where);
    if (!p)
        return false;
    made_.add(*p, std::span(&hop, 1), masked() != masked_before);
    return true;
}

expected<both_tables, input_error> table_reader::finish_both() && {
    if (auto error = finish_lines([this](std::string_view line) { return take_line(line); }))
        return unexpected{std::move(*error)};
    return std::move(made_).finish_both(lines_read());
}

expected<any_table, input_error> table_reader::finish() && {
    if (auto error = finish_lines([this](std::string_view line) { return take_line(line); }))
        return unexpected{std::move(*error)};
    return std::move(made_).finish(lines_read());
}

} // namespace fingerpost::io
