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
    : file_(std::move(file)), policy_(policy) {}

template <class A>
bool update_reader<A>::feed(std::string_view chunk) {
    if (error_)
        return false;
    const cut result =
        lines_.feed(chunk, [this](std::string_view line, std::uint64_t) { return take_line(line); });
    if (result == cut::too_long)
        return refuse({}, "the line has more than " + std::to_string(max_line_bytes) +
                              " bytes; are these updates?");
    return result == cut::ok;
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
    if (announced && hop.empty())
        return refuse(line, "an announcement without a next hop");
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
    auto p = parse_prefix<A>(where, host_bits::refuse);
    if (!p && p.error().reason == text_fault::host_bits && policy_ == host_bits::mask) {
        p = parse_prefix<A>(where);
        ++read_.counts.masked;
    }
    if (!p)
        return refuse(where, describe(p.error(), where));
    ++(announced ? read_.counts.announced : read_.counts.withdrawn);
    read_.updates.push_back({*p, announced ? read_.next_hops.intern(hop) : next_hop::none});
    return true;
}

template <class A>
bool update_reader<A>::refuse(std::string_view text, std::string reason) {
    error_ = input_error{file_, lines_.number(), std::string(text), std::move(reason)};
    return false;
}

template <class A>
expected<loaded_updates<A>, input_error> update_reader<A>::finish() && {
    if (!error_)
        lines_.finish([this](std::string_view line, std::uint64_t) { return take_line(line); });
    if (error_)
        return unexpected{std::move(*error_)};
    read_.counts.lines = lines_.number();
    return std::move(read_);
}

template class update_reader<ipv4_address>;
template class update_reader<ipv6_address>;

} // namespace fingerpost::io
