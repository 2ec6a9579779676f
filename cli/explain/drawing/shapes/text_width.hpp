// How wide a text will be, without knowing the font of the reader: as wide as in the widest usual ones.
#pragma once

#include <cstdint>
#include <string_view>

namespace fingerpost::cli::drawing {

// The fonts of a drawing.
enum class font : std::uint8_t {
    plain, // sans, 11 pixels
    bold,  // sans, 11 pixels
    mono,  // 11 pixels
    small, // mono, 10 pixels: digits at edges and numbers of slots
    head,  // bold sans, 15 pixels
    body,  // sans, 14 pixels
};

double size_of(font f) noexcept;
std::string_view class_of(font f) noexcept; // of CSS

// In pixels, of a text as xml_text() shows it: what is not printable takes four characters.
double text_width(std::string_view text, font f);

} // namespace fingerpost::cli::drawing
