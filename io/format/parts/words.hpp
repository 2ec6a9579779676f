// Cuts a line into words, as all text formats do: blanks, tabs and commas end a word; `#` at the start of a
// word begins a comment.
#pragma once

#include <cstddef>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

constexpr bool is_blank(char c) noexcept {
    return c == ' ' || c == '\t';
}
constexpr bool is_control(char c) noexcept {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}
constexpr bool ends_word(char c) noexcept {
    return is_blank(c) || c == ',';
}

// If the lines of a file end in carriage returns alone, as on old Macs, the whole file is one line, which is
// often a comment or a header.
inline bool has_return(std::string_view line) noexcept {
    return line.find('\r') != std::string_view::npos;
}
inline constexpr const char* return_in_line =
    "a carriage return within the line; lines must end in a line feed";

constexpr void skip_blanks(std::string_view& rest) noexcept {
    std::size_t blanks = 0;
    while (blanks < rest.size() && is_blank(rest[blanks]))
        ++blanks;
    rest.remove_prefix(blanks);
}

// Removes a carriage return at the end, as in lines of Windows.
constexpr std::string_view without_return(std::string_view line) noexcept {
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

// Text files from Windows may begin with this mark.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view without_byte_order_mark(std::string_view line) noexcept {
    if (line.starts_with(byte_order_mark))
        line.remove_prefix(byte_order_mark.size());
    return line;
}

// Removes blanks and tabs at both ends.
constexpr std::string_view trimmed(std::string_view text) noexcept {
    skip_blanks(text);
    while (!text.empty() && is_blank(text.back()))
        text.remove_suffix(1);
    return text;
}

// Takes the next word from the line. Returns an empty word at the end, at a comma and at a comment.
constexpr std::string_view take_word(std::string_view& rest) noexcept {
    skip_blanks(rest);
    if (rest.starts_with('#'))
        rest = {};
    std::size_t size = 0;
    while (size < rest.size() && !ends_word(rest[size]))
        ++size;
    const std::string_view word = rest.substr(0, size);
    rest.remove_prefix(size);
    return word;
}

} // namespace fingerpost::io
