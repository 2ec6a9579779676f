// Cuts ports, brackets and zones off.
#include "cli/answers/address_field.hpp"

#include <algorithm>

namespace fingerpost::cli {
namespace {

std::string_view without_blanks(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

bool is_port(std::string_view text) {
    return !text.empty() && text.size() <= 5 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A comma is no part of a zone: another address follows.
std::string_view without_zone(std::string_view text) {
    const std::size_t percent = text.find('%');
    const bool has_zone = percent != std::string_view::npos && percent + 1 < text.size() &&
                          text.find(',', percent) == std::string_view::npos;
    return has_zone ? text.substr(0, percent) : text;
}

// The address of a socket's text; the text itself when it is none.
std::string_view host_of(std::string_view text) {
    if (text.starts_with('[')) {
        const std::size_t closing = text.find(']');
        if (closing == std::string_view::npos)
            return text;
        const std::string_view behind = text.substr(closing + 1);
        const bool fits = behind.empty() || (behind[0] == ':' && is_port(behind.substr(1)));
        return fits ? without_zone(text.substr(1, closing - 1)) : text;
    }
    const std::size_t colon = text.find(':');
    const bool has_port =
        colon != std::string_view::npos && text.find('.') < colon && is_port(text.substr(colon + 1));
    return has_port ? text.substr(0, colon) : without_zone(text);
}

expected<any_address, text_error> parse_plain(std::string_view text) {
    if (detect_family(text) == family::ipv6) {
        const auto six = parse_address<ipv6_address>(text);
        if (!six)
            return unexpected{six.error()};
        return any_address::of(*six);
    }
    const auto four = parse_address<ipv4_address>(text);
    if (!four)
        return unexpected{four.error()};
    return any_address::of(*four);
}

} // namespace

any_address any_address::of(ipv4_address a) {
    return {family::ipv4, a, {}};
}

any_address any_address::of(ipv6_address a) {
    return is_ipv4_mapped(a) ? of(unmapped(a)) : any_address{family::ipv6, {}, a};
}

expected<any_address, text_error> parse_field(std::string_view text) {
    auto plain = parse_plain(text);
    if (plain)
        return plain;
    text = without_blanks(text);
    if (const auto parsed = parse_plain(host_of(text)))
        return *parsed;
    return plain;
}

std::optional<std::string_view> socket_host(std::string_view text) {
    const auto is_plain = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               std::string_view(".:%[]-_@+~").find(c) != std::string_view::npos;
    };
    const std::string_view host = host_of(text);
    if (host.size() == text.size() || !std::all_of(text.begin(), text.end(), is_plain) || !parse_plain(host))
        return std::nullopt;
    return host;
}

} // namespace fingerpost::cli
