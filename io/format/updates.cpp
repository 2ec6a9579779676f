// The update reader: cuts lines into words, tells announcements from withdrawals, parses prefixes.
#include "io/format/updates.hpp"

#include <algorithm>
#include <utility>

#include "io/format/words.hpp"

namespace fingerpost::io {
namespace {

bool is_number(std::string_view word) {
    return !word.empty() &&
           std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view take_separated(std::string_view& rest) {
    skip_blanks(rest);
    if (rest.starts_with(','))
        rest.remove_prefix(1);
    return take_word(rest);
}

} // namespace

template <class A>
update_reader<A>::update_reader(std::string file, host_bits policy)
    : line_reader(std::move(file), "a list of updates", policy) {}

template <class A>
bool update_reader<A>::feed(std::string_view chunk) {
    return feed_lines(chunk, [this](std::string_view line) { return take_line(line); });
}

template <class A>
bool update_reader<A>::take_line(std::string_view line) {
    std::string_view rest = line;
    std::string_view verb = take_word(rest);
    if (verb.empty() && rest.empty())
        return true;
    if (is_number(verb))
        verb = take_separated(rest);
    const bool announced = verb == "A" || verb == "a";
    if (!announced && verb != "W" && verb != "w")
        return refuse(line, "want `A prefix next_hop` or `W prefix`");
    const std::string_view where = take_separated(rest);
    if (where.empty())
        return refuse(line, "there is no prefix");
    const std::string_view hop = take_separated(rest);
    if (std::any_of(hop.begin(), hop.end(), is_control))
        return refuse(line, "control character in the next hop");
    if (!take_word(rest).empty() || !rest.empty())
        return refuse(line, "more than a prefix and a next hop");
    return take_update(announced, where, hop);
}

template <class A>
bool update_reader<A>::take_update(bool announced, std::string_view where, std::string_view hop) {
    const auto seen = detect_family(where);
    if (seen && *seen != family_of<A>) {
        ++read_.counts.other_family;
        return true;
    }
    const auto p = take_prefix<A>(where);
    if (!p)
        return false;
    ++(announced ? read_.counts.announced : read_.counts.withdrawn);
    read_.updates.push_back({*p, announced ? read_.values.intern(hop) : next_hop::none});
    return true;
}

template <class A>
expected<loaded_updates<A>, input_error> update_reader<A>::finish() && {
    if (auto error = finish_lines([this](std::string_view line) { return take_line(line); }))
        return unexpected{std::move(*error)};
    read_.counts.lines = lines_read();
    read_.counts.masked = masked();
    return std::move(read_);
}

template class update_reader<ipv4_address>;
template class update_reader<ipv6_address>;

} // namespace fingerpost::io
