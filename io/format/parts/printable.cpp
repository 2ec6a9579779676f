// Decodes UTF-8 (RFC 3629) and classifies its characters.
#include "io/format/parts/printable.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace fingerpost::io {
namespace {

std::uint32_t byte_at(std::string_view text, std::size_t i) {
    return static_cast<unsigned char>(text[i]);
}

std::uint32_t code_point(std::string_view text, std::size_t size) {
    constexpr std::uint32_t lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    std::uint32_t point = byte_at(text, 0) & lead_bits[size];
    for (std::size_t i = 1; i < size; ++i)
        point = point << 6 | (byte_at(text, i) & 0x3f);
    return point;
}

struct code_range {
    std::uint32_t first;
    std::uint32_t last;
};
// Ascending. Besides control characters: invisible characters, line and paragraph separators, marks that
// change the writing direction, specials, tags, noncharacters.
constexpr code_range hidden[] = {{0x00, 0x1f},     {0x7f, 0x9f},      {0x200b, 0x200f}, {0x2028, 0x202e},
                                 {0x2060, 0x206f}, {0xfdd0, 0xfdef},  {0xfeff, 0xfeff}, {0xfff0, 0xfffb},
                                 {0xfffe, 0xffff}, {0xe0000, 0xe0fff}};

bool is_hidden(std::uint32_t point) {
    const auto* const range = std::lower_bound(std::begin(hidden), std::end(hidden), point,
                                               [](code_range r, std::uint32_t p) { return r.last < p; });
    return (range != std::end(hidden) && range->first <= point) || (point & 0xfffe) == 0xfffe;
}

} // namespace

std::size_t utf8_size(std::string_view text) noexcept {
    const std::uint32_t lead = byte_at(text, 0);
    if (lead < 0x80)
        return 1;
    const std::size_t size = lead >= 0xc2 && lead < 0xe0   ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
    if (size == 0 || size > text.size())
        return 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((byte_at(text, i) & 0xc0) != 0x80)
            return 0;
    // Excludes overlong forms, surrogates, and values above U+10FFFF.
    const std::uint32_t second = byte_at(text, 1);
    const bool wrong = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0) ||
                       (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second >= 0x90);
    return wrong ? 0 : size;
}

bool is_utf8(std::string_view text) noexcept {
    while (!text.empty()) {
        const std::size_t size = utf8_size(text);
        if (size == 0)
            return false;
        text.remove_prefix(size);
    }
    return true;
}

std::string mended_utf8(std::string_view text) {
    std::string valid;
    while (!text.empty()) {
        const std::size_t size = utf8_size(text);
        valid += size == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, size);
        text.remove_prefix(size == 0 ? 1 : size);
    }
    return valid;
}

std::size_t printable_size(std::string_view text) noexcept {
    const std::size_t size = utf8_size(text);
    return size != 0 && is_hidden(code_point(text, size)) ? 0 : size;
}

std::string printable(std::string_view text) {
    constexpr char digits[] = "0123456789abcdef";
    std::string out;
    while (!text.empty()) {
        const std::size_t size = printable_size(text);
        if (size != 0) {
            out += text.substr(0, size);
        } else {
            out += "\\x";
            out += digits[byte_at(text, 0) >> 4];
            out += digits[byte_at(text, 0) & 15];
        }
        text.remove_prefix(size != 0 ? size : 1);
    }
    return out;
}

} // namespace fingerpost::io
