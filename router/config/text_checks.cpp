// The rules of the texts, with hints for what people write instead.
#include "router/config/text_checks.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fingerpost/base/near_name.hpp"
#include "fingerpost/net/text.hpp"
#include "router/config/config.hpp"

namespace fingerpost::router {
namespace {

// IFNAMSIZ of the kernel without the zero at the end.
constexpr std::size_t longest_interface = 15;
// NAME_MAX of the file systems in use.
constexpr std::size_t longest_file = 255;
constexpr std::size_t longest_account = 32;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_hex(char c) {
    return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}

// `x` in the form stands for a hexadecimal digit, `o` for one below 8; all else for itself.
bool has_form(std::string_view text, std::string_view form) {
    return std::equal(text.begin(), text.end(), form.begin(), form.end(), [](char c, char wanted) {
        return wanted == 'x' ? is_hex(c) : wanted == 'o' ? c >= '0' && c <= '7' : c == wanted;
    });
}

bool all_of(std::string_view text, bool (*allowed)(char)) {
    return std::all_of(text.begin(), text.end(), allowed);
}

bool parse_port(std::string_view text, std::uint16_t& port) {
    const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), port);
    return fault == std::errc{} && stop == text.data() + text.size() && port != 0;
}

bool is_address(std::string_view text) {
    return parse_address<ipv4_address>(text).has_value() || parse_address<ipv6_address>(text).has_value();
}

} // namespace

std::string check_interface_name(const std::string& text) {
    if (text.empty() || text.size() > longest_interface)
        return fmt::format("it has {} characters", text.size());
    if (text == "." || text == ".." ||
        !all_of(text, [](char c) { return is_word(c) || c == '.' || c == '-'; }))
        return "the kernel takes no such name";
    return {};
}

std::string bare_device(std::string_view device) {
    std::string bare{device.substr(0, device.find(','))};
    std::transform(bare.begin(), bare.end(), bare.begin(),
                   [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    return bare;
}

std::string check_device(const std::string& text) {
    const std::string bare = text.substr(0, text.find(','));
    if (has_form(bare, "xxxx:xx:xx.o"))
        return {};
    if (has_form(bare, "xx:xx.o"))
        return "did you mean 0000:" + bare + "?";
    constexpr std::string_view beginning = "net_";
    if (bare.size() > beginning.size() && bare.starts_with(beginning) && all_of(bare, is_word))
        return {};
    if (check_interface_name(bare).empty() && !bare.starts_with(beginning))
        return fmt::format("for an interface of the kernel write net_af_packet0,iface={}", bare);
    return "it is neither";
}

std::string check_address(const std::string& text) {
    return is_address(text) ? "" : "it is neither";
}

endpoint endpoint_of(std::string_view text) {
    endpoint parsed;
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || !parse_port(text.substr(colon + 1), parsed.port))
        return {};
    std::string_view address = text.substr(0, colon);
    const bool bracketed = address.starts_with('[') && address.ends_with(']');
    if (bracketed)
        address = address.substr(1, address.size() - 2);
    parsed.address = address;
    const bool valid = bracketed ? parse_address<ipv6_address>(address).has_value()
                                 : parse_address<ipv4_address>(address).has_value();
    return valid ? parsed : endpoint{};
}

std::string check_endpoint(const std::string& text) {
    if (text.empty() || endpoint_of(text).port != 0)
        return {};
    if (is_address(text))
        return "the port is missing";
    return "it is neither";
}

bool is_loopback(std::string_view address) {
    constexpr std::uint32_t loopback_network = 127;
    if (const auto four = parse_address<ipv4_address>(address))
        return (*four).value >> 24 == loopback_network;
    const auto six = parse_address<ipv6_address>(address);
    return six && (*six).value == 1;
}

std::string check_namespace(const std::string& text) {
    if (text.starts_with('/') && text.find('\0') == std::string::npos)
        return {};
    if (text.find('/') != std::string::npos)
        return "a path begins with a slash";
    return text.size() > longest_file || text == "." || text == ".." || text.find('\0') != std::string::npos
               ? "no file is called so"
               : "";
}

std::string check_account(const std::string& text) {
    if (text.empty() || (text.size() <= longest_account && !is_digit(text[0]) && text[0] != '-' &&
                         all_of(text, [](char c) { return is_word(c) || c == '-' || c == '.'; })))
        return {};
    return is_digit(text[0]) ? "a number is not a name" : "no account is called so";
}

std::string check_scheme(const std::string& text, std::span<const std::string> schemes) {
    if (text.empty() || std::find(schemes.begin(), schemes.end(), text) != schemes.end())
        return {};
    const std::string near = near_name(text, schemes);
    return near.empty() ? "there is no such scheme" : "did you mean " + near + "?";
}

std::string check_routes(const std::string& text) {
    if (text.empty())
        return "there must be a source";
    // A short word without a dot or a slash is a mistyped feed more often than a file.
    static const std::array<std::string, 2> feeds{"fpm", "kernel"};
    if (text == feeds[0] || text == feeds[1] || text.find_first_of("./") != std::string::npos)
        return {};
    const std::string near = near_name(text, feeds);
    return near.empty() ? "" : fmt::format("did you mean {}? A file's name has ./ before it", near);
}

} // namespace fingerpost::router
