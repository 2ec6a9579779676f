// Writes PNG chunks as defined in "Portable Network Graphics (PNG) Specification", W3C 2003.
#include "cli/picture/indexed_png.hpp"

#include <cassert>
#include <string_view>
#if FINGERPOST_HAVE_ZLIB
#include <zlib.h>
#endif

#include "cli/writers/embedded_bytes.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
#if FINGERPOST_HAVE_ZLIB
namespace {

void put_number(std::string& out, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8)
        out += static_cast<char>(number >> shift & 0xff);
}

void put_chunk(std::string& out, std::string_view type, std::string_view content) {
    // Always fits: pictures have at most 3000 * 3000 pixels.
    put_number(out, static_cast<std::uint32_t>(content.size()));
    const std::size_t from = out.size();
    out.append(type).append(content);
    const auto* const checked = reinterpret_cast<const Bytef*>(out.data() + from);
    put_number(out, static_cast<std::uint32_t>(crc32(0, checked, static_cast<uInt>(out.size() - from))));
}

} // namespace

std::string indexed_png(std::uint32_t width, std::uint32_t height, std::span<const std::uint8_t> pixels,
                        const std::vector<rgb>& palette) {
    assert(pixels.size() == std::size_t{width} * height && palette.size() <= 256);
    std::string header;
    put_number(header, width);
    put_number(header, height);
    // 8 bits per pixel, palette, deflate, filtered by row, not interlaced.
    header.append("\x08\x03\x00\x00\x00", 5);
    std::string colors;
    for (const rgb& colour : palette)
        colors.append(
            {static_cast<char>(colour.red), static_cast<char>(colour.green), static_cast<char>(colour.blue)});
    // Colour indices do not compress better as differences, so each row has filter 0.
    std::string rows;
    rows.reserve(pixels.size() + height);
    for (std::size_t at = 0; at < pixels.size(); at += width)
        rows.append(1, '\0').append(reinterpret_cast<const char*>(pixels.data() + at), width);
    std::string png("\x89PNG\r\n\x1a\n", 8);
    put_chunk(png, "IHDR", header);
    put_chunk(png, "PLTE", colors);
    put_chunk(png, "tRNS", std::string_view("\0", 1));
    put_chunk(png, "IDAT", deflated(rows));
    put_chunk(png, "IEND", {});
    return png;
}
#else
std::string indexed_png(std::uint32_t, std::uint32_t, std::span<const std::uint8_t>,
                        const std::vector<rgb>&) {
    throw failure("this program was built without zlib, which pictures need");
}
#endif

} // namespace fingerpost::cli
