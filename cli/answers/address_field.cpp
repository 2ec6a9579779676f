// Removes blanks, ports, brackets and zones.
#include "cli/answers/address_field.hpp"

#include <algorithm>

namespace fingerpost::cli {
namespace {

constexpr std::string_view blanks = " \t";

std::string_view without_blanks(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

expected<any_address, text_error> parse_plain(std::string_view text) {
    const auto address = parse_address(text);
    if (!address)
        return unexpected{address.error()};
    return std::visit([](auto a) { return any_address::of(a); }, *address);
}

} // namespace

any_address any_address::of(ipv4_address a) {
    return {family::ipv4, a, {}};
}

any_address any_address::of(ipv6_address a) {
    return is_ipv4_mapped(a) ? any_address{family::ipv4, unmapped(a), a} : any_address{family::ipv6, {}, a};
}

expected<any_address, text_error> parse_field(std::string_view text) {
    auto plain = parse_plain(text);
    if (plain)
        return plain;
    text = without_blanks(text);
    if (const auto parsed = parse_plain(host_part(text)))
        return *parsed;
    return plain;
}

std::string_view without_comment(std::string_view line) {
    // A lone carriage return starts another line, which is not part of the comment.
    if (line.find('\r') != std::string_view::npos)
        return line;
    std::size_t end = line.find('#');
    while (end != std::string_view::npos && end != 0 && blanks.find(line[end - 1]) == std::string_view::npos)
        end = line.find('#', end + 1);
    return without_blanks(line.substr(0, end));
}

} // namespace fingerpost::cli
