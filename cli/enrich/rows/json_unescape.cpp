// Converts escapes of JSON strings to UTF-8.
#include "cli/enrich/rows/json_unescape.hpp"

#include <cstddef>
#include <cstdint>

namespace fingerpost::cli::enrich {
namespace {

void put_utf8(std::string& out, std::uint32_t code) {
    const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xc0 | code >> 6);
        tail(0);
    } else if (code < 0x10000) {
        out += static_cast<char>(0xe0 | code >> 12);
        tail(6);
        tail(0);
    } else {
        out += static_cast<char>(0xf0 | code >> 18);
        tail(12);
        tail(6);
        tail(0);
    }
}

std::uint32_t four_digits(std::string_view text) {
    std::uint32_t code = 0;
    for (const char c : text.substr(0, 4))
        code = code << 4 | static_cast<std::uint32_t>(hex_digit(c));
    return code;
}

// Reads the code point of an escape whose digits begin at `at`, and moves `at` past it.
std::uint32_t code_point(std::string_view raw, std::size_t& at) {
    constexpr std::uint32_t replacement = 0xfffd;
    const std::uint32_t first = four_digits(raw.substr(at));
    at += 4;
    if (first < 0xd800 || first > 0xdfff)
        return first;
    if (first > 0xdbff || raw.substr(at, 2) != "\\u")
        return replacement;
    const std::uint32_t second = four_digits(raw.substr(at + 2));
    if (second < 0xdc00 || second > 0xdfff)
        return replacement;
    at += 6;
    return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

} // namespace

void unescape_json(std::string_view raw, std::string& into) {
    constexpr std::string_view letters = "bfnrt";
    constexpr std::string_view values = "\b\f\n\r\t";
    into.clear();
    for (std::size_t at = 0; at < raw.size();) {
        const char c = raw[at++];
        if (c != '\\') {
            into += c;
            continue;
        }
        const char kind = raw[at++];
        if (kind == 'u')
            put_utf8(into, code_point(raw, at));
        else if (const std::size_t letter = letters.find(kind); letter != std::string_view::npos)
            into += values[letter];
        else
            into += kind;
    }
}

} // namespace fingerpost::cli::enrich
