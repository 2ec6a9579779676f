// Converts SVG to PNG or PDF with rsvg-convert, a program of librsvg. docs/why/decisions/0026-pictures.md
// explains why no library draws the text.
#pragma once

#include <string>

namespace fingerpost::cli {

// `format` is png or pdf. Throws failure if rsvg-convert is missing or fails. Its own messages go to stderr.
std::string converted(const std::string& svg, const std::string& format);

} // namespace fingerpost::cli
