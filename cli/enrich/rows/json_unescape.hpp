// The digits of JSON's \u escapes.
#pragma once

namespace fingerpost::cli::enrich {

// Below 0 for what is no hexadecimal digit.
constexpr int hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

} // namespace fingerpost::cli::enrich
