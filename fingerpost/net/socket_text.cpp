// Removes ports, brackets and zones.
#include "fingerpost/net/socket_text.hpp"

#include <algorithm>

#include "fingerpost/net/text.hpp"

namespace fingerpost {
namespace {

bool is_port(std::string_view text) noexcept {
    return !text.empty() && text.size() <= 5 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A comma cannot be in a zone, because another address follows it.
std::string_view without_zone(std::string_view text) noexcept {
    const std::size_t percent = text.find('%');
    const bool has_zone = percent != std::string_view::npos && percent + 1 < text.size() &&
                          text.find(',', percent) == std::string_view::npos;
    return has_zone ? text.substr(0, percent) : text;
}

} // namespace

std::string_view host_part(std::string_view text) noexcept {
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

std::optional<std::string_view> socket_host(std::string_view text) noexcept {
    const auto is_plain = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               std::string_view(".:%[]-_@+~").find(c) != std::string_view::npos;
    };
    const std::string_view host = host_part(text);
    if (host.size() == text.size() || !std::all_of(text.begin(), text.end(), is_plain) ||
        !parse_address(host))
        return std::nullopt;
    return host;
}

} // namespace fingerpost
