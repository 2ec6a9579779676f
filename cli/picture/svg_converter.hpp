// SVG made into PNG or PDF by rsvg-convert of librsvg, a program of its own.
//
// Linked in, a library that draws text would load twelve others at each start of fingerpost, which took 1.5
// of 4.8 ms.
#pragma once

#include <string>

namespace fingerpost::cli {

// `format`: png or pdf. Throws failure if rsvg-convert is not installed or fails; its own words are on
// stderr.
std::string converted(const std::string& svg, const std::string& format);

} // namespace fingerpost::cli
