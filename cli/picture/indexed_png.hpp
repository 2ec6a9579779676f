// Pictures of at most 256 colours as PNG.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fingerpost::cli {

struct rgb {
    std::uint8_t red, green, blue;
};

// Encodes `width` * `height` colour indices, row by row from the top left. Colour 0 is transparent. Throws
// failure if the program was built without zlib.
std::string indexed_png(std::uint32_t width, std::uint32_t height, std::span<const std::uint8_t> pixels,
                        const std::vector<rgb>& palette);

} // namespace fingerpost::cli
