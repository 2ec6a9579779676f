// Tells the time, announcements and withdrawals apart.
#include "io/format/update_line.hpp"

#include <algorithm>
#include <charconv>

#include "io/format/words.hpp"

namespace fingerpost::io {
namespace {

bool is_number(std::string_view word) {
    return !word.empty() &&
           std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::uint64_t> number_of(std::string_view digits) {
    std::uint64_t number = 0;
    const auto [stop, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return fault == std::errc{} ? std::optional<std::uint64_t>(number) : std::nullopt;
}

std::string_view take_separated(std::string_view& rest) {
    skip_blanks(rest);
    if (rest.starts_with(','))
        rest.remove_prefix(1);
    return take_word(rest);
}

} // namespace

expected<std::optional<update_line>, const char*> cut_update(std::string_view line) {
    using cut = std::optional<update_line>;
    std::string_view rest = line;
    std::string_view verb = take_word(rest);
    if (verb.empty() && rest.empty())
        return cut();
    update_line found;
    if (is_number(verb)) {
        found.seconds = number_of(verb);
        verb = take_separated(rest);
    }
    found.announced = verb == "A" || verb == "a";
    if (!found.announced && verb != "W" && verb != "w")
        return unexpected{"want `A prefix next_hop` or `W prefix`"};
    found.where = take_separated(rest);
    if (found.where.empty())
        return unexpected{"there is no prefix"};
    found.next_hop = take_separated(rest);
    if (std::any_of(found.next_hop.begin(), found.next_hop.end(), is_control))
        return unexpected{"control character in the next hop"};
    if (!take_word(rest).empty() || !rest.empty())
        return unexpected{"more than a prefix and a next hop"};
    return cut(found);
}

} // namespace fingerpost::io
