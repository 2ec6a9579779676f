// SVG made into PNG or PDF by rsvg-convert of librsvg, a program of its own.
// docs/why/decisions/0026-pictures.md says why no library draws the text.
#pragma once

#include <string>

namespace fingerpost::cli {

// `format`: png or pdf. Throws failure if rsvg-convert is not installed or fails; its own words are on
// stderr.
std::string converted(const std::string& svg, const std::string& format);

} // namespace fingerpost::cli
