// Parses hosts with ports and brackets.
#include "system/http/http_hosts.hpp"

#include <algorithm>

#include "fingerpost/net/text.hpp"
#include "system/http/http_message.hpp"

namespace fingerpost::system {
namespace {

bool is_port(std::string_view text) {
    return text.size() <= 5 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The characters of a registered name, except percent encoding (RFC 3986, section 3.2.2).
bool is_host_name(std::string_view text) {
    constexpr std::string_view others = "-._~!$&'()*+,;=";
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               (c != ',' && others.find(c) != std::string_view::npos);
    });
}

} // namespace

bool is_loopback_address(std::string_view text) {
    if (const auto ipv4 = parse_address<ipv4_address>(text))
        return ipv4->value >> 24 == 127;
    const auto ipv6 = parse_address<ipv6_address>(text);
    return ipv6 && ipv6->value == 1;
}

std::optional<std::string_view> split_host(std::string_view host) {
    const bool is_bracketed = !host.empty() && host.front() == '[';
    const std::size_t end = is_bracketed ? host.find(']') : std::min(host.find(':'), host.size());
    if (end == std::string_view::npos)
        return std::nullopt;
    const std::string_view name = is_bracketed ? host.substr(1, end - 1) : host.substr(0, end);
    const std::string_view rest = host.substr(end + (is_bracketed ? 1 : 0));
    const bool is_name = is_bracketed ? parse_address<ipv6_address>(name).has_value() : is_host_name(name);
    if (!is_name || (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))))
        return std::nullopt;
    return name;
}

bool http_hosts::allows(std::string_view host) const {
    if (!checks || host.empty())
        return true;
    const auto name = split_host(host);
    if (!name)
        return false;
    // A name may end with the dot of the root.
    std::string_view bare_name = *name;
    if (bare_name.size() > 1 && bare_name.back() == '.')
        bare_name.remove_suffix(1);
    return is_same_word(bare_name, "localhost") || is_loopback_address(bare_name) ||
           std::any_of(names.begin(), names.end(), [&](const std::string& allowed_name) {
               return is_same_word(allowed_name, bare_name);
           });
}

} // namespace fingerpost::system
