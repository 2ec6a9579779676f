// The image file: header, section table, sections. docs/inside/image_format.md describes it.
//
//     0     header        128 bytes, the checksum of header and section table last
//     128   section table  32 bytes a section, then zeros to a multiple of 64
//     ...   sections       each from a multiple of 64 on, zeros behind it; one after the other without gaps
//
// Numbers are in the byte order of the machine that wrote them, as kernels read them where they lie.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "fingerpost/base/xxh64.hpp"

namespace fingerpost {

// As PNG's: the first byte is no text, and a transfer that changes line ends shows at once.
inline constexpr std::array<std::uint8_t, 8> image_magic{0x89, 'F', 'P', 'I', '\r', '\n', 0x1a, '\n'};
inline constexpr std::uint32_t image_byte_order = 0x01020304;
// Counts up with every change of this file, and of the arrays of a scheme that can be saved.
inline constexpr std::uint32_t image_version = 6;
// The oldest one that is still read.
inline constexpr std::uint32_t oldest_image_version = 2;
inline constexpr std::uint32_t first_version_with_values = 4;
inline constexpr std::uint32_t first_version_with_two = 4;
// The FIBs of older versions have other arrays: opening such a file builds a FIB from its routes.
inline constexpr std::uint32_t first_version_with_these_fibs = 6;

enum class route_section : std::uint32_t {
    bases = 1,   // the routes' first addresses, ascending
    lengths = 2, // a byte each
    hops = 3,    // four bytes each
    // From first_own_section on: the scheme's.
};

// The values of the routes, if they have some: the last sections, all three, as value_view (values/view.hpp)
// has them. Two details of 0, as programs had written before there were types, mean none.
enum class value_section : std::uint32_t {
    cells = 0x10000, // four bytes each; the detail is the number of columns
    ends,            // eight bytes each; the detail is 1 more than the number of the text of missing cells
    bytes,           // the detail is 1 more than the number of a text that has a column_type for each column
};

struct image_header {
    std::array<std::uint8_t, 8> magic;
    std::uint32_t byte_order;
    std::uint32_t version;
    std::uint32_t address_bits;
    std::array<std::uint32_t, 2> numbers; // the scheme's
    std::uint32_t sections;
    std::uint64_t file_bytes;
    std::uint64_t routes;
    std::array<char, 32> scheme;        // zeros behind the name
    std::array<std::uint64_t, 3> seeds; // the scheme's, of hash keys
    std::uint64_t next;                 // where the image of the other family begins, 0 without one
    std::uint64_t reserved;
    std::uint64_t checksum; // of header and section table with zero here, padded
};
struct image_section {
    std::uint32_t kind; // a route_section, a value_section, or the scheme's
    std::uint32_t detail;
    std::uint64_t offset; // from the start of the file
    std::uint64_t bytes;
    std::uint64_t checksum; // of the section with the zeros behind it
};
static_assert(sizeof(image_header) == 128 && offsetof(image_header, checksum) == 120);
static_assert(offsetof(image_header, file_bytes) == 32 && offsetof(image_header, scheme) == 48);
static_assert(sizeof(image_section) == 32 && offsetof(image_section, checksum) == 24);

inline constexpr std::size_t image_alignment = 64;
// Three for the routes, the scheme's, and three for values.
inline constexpr std::size_t most_sections = 18;

constexpr std::uint64_t padded(std::uint64_t bytes) noexcept {
    return (bytes + (image_alignment - 1)) / image_alignment * image_alignment;
}
constexpr std::uint64_t section_offset_of_first(std::size_t sections) noexcept {
    return padded(sizeof(image_header) + sections * sizeof(image_section));
}
// Of header and section table together; no file has more.
inline constexpr std::size_t most_start_bytes = section_offset_of_first(most_sections);

// Of header and section table; `file` has all of them.
inline std::uint64_t header_checksum(std::span<const std::byte> file, std::size_t sections) noexcept {
    std::array<std::byte, most_start_bytes> head{};
    const std::size_t size = section_offset_of_first(std::min(sections, most_sections));
    std::memcpy(head.data(), file.data(), size);
    std::memset(head.data() + offsetof(image_header, checksum), 0, sizeof(std::uint64_t));
    return xxh64(std::span(head).first(size));
}

// Writes all checksums, as far as the file has room for what they protect: for the writer, and for tests that
// damage other parts.
inline void seal_image(std::span<std::byte> file) noexcept {
    image_header header;
    if (file.size() < sizeof header)
        return;
    std::memcpy(&header, file.data(), sizeof header);
    if (header.sections > most_sections || section_offset_of_first(header.sections) > file.size())
        return;
    for (std::size_t i = 0; i < header.sections; ++i) {
        std::byte* const at = file.data() + sizeof header + i * sizeof(image_section);
        image_section one;
        std::memcpy(&one, at, sizeof one);
        if (one.offset > file.size() || one.bytes > file.size() ||
            padded(one.bytes) > file.size() - one.offset)
            continue;
        one.checksum = xxh64(file.subspan(one.offset, padded(one.bytes)));
        std::memcpy(at, &one, sizeof one);
    }
    header.checksum = header_checksum(file, header.sections);
    std::memcpy(file.data(), &header, sizeof header);
}

} // namespace fingerpost
