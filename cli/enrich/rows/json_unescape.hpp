// The escapes of JSON strings.
#pragma once

#include <string>
#include <string_view>

namespace fingerpost::cli::enrich {

// Negative if the character is not a hexadecimal digit.
constexpr int hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Decodes a valid JSON string. An unpaired surrogate becomes U+FFFD.
void unescape_json(std::string_view raw, std::string& into);

} // namespace fingerpost::cli::enrich
