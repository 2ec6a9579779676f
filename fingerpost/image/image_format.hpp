// Layout of image files: header, section table, sections. docs/inside/image_format.md describes it.
//
//      0     header         128 bytes; the last field is the checksum of header and section table
//      128   section table  32 bytes for each section, padded with zeros to a multiple of 64
//      ...   sections       each padded with zeros to a multiple of 64, without gaps
//
// Numbers are in the byte order of the machine that wrote the file, because kernels read them in place.
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

// Like PNG's: the first byte is not text, and a transfer that converts line ends is detected immediately.
inline constexpr std::array<std::uint8_t, 8> image_magic{0x89, 'F', 'P', 'I', '\r', '\n', 0x1a, '\n'};
inline constexpr std::uint32_t image_byte_order = 0x01020304;
// Incremented with every change of this file or of the arrays of a saveable scheme.
inline constexpr std::uint32_t image_version = 6;
// Oldest version that can still be opened.
inline constexpr std::uint32_t oldest_image_version = 2;
inline constexpr std::uint32_t first_version_with_values = 4;
inline constexpr std::uint32_t first_version_with_two = 4;
// FIBs of older versions have other arrays. Opening such a file builds a FIB from its routes.
inline constexpr std::uint32_t first_version_with_these_fibs = 6;

enum class route_section : std::uint32_t {
    bases = 1,   // first addresses of the routes, ascending
    lengths = 2, // one byte each
    hops = 3,    // four bytes each
    // Sections of the scheme are numbered from first_own_section.
};

// Sections for the values of the routes, if any: always all three, as the last sections, in the form of
// value_view (values/view.hpp). If both details are 0, as in files older than column types, there are no
// types.
enum class value_section : std::uint32_t {
    cells = 0x10000, // four bytes each; the detail is the number of columns
    ends,            // eight bytes each; the detail is 1 + the number of the text for missing cells
    bytes,           // the detail is 1 + the number of a text that has a column_type for each column
};

struct image_header {
    std::array<std::uint8_t, 8> magic;
    std::uint32_t byte_order;
    std::uint32_t version;
    std::uint32_t address_bits;
    std::array<std::uint32_t, 2> numbers; // defined by the scheme
    std::uint32_t sections;
    std::uint64_t file_bytes;
    std::uint64_t routes;
    std::array<char, 32> scheme;        // padded with zeros
    std::array<std::uint64_t, 3> seeds; // hash keys of the scheme
    std::uint64_t next;                 // start of the other family's image; 0 if there is none
    std::uint64_t reserved;
    std::uint64_t checksum; // of header and section table, padded, with this field set to zero
};
struct image_section {
    std::uint32_t kind; // a route_section, a value_section, or a number of the scheme
    std::uint32_t detail;
    std::uint64_t offset; // from the start of the file
    std::uint64_t bytes;
    std::uint64_t checksum; // of the section and the zeros after it
};
static_assert(sizeof(image_header) == 128 && offsetof(image_header, checksum) == 120);
static_assert(offsetof(image_header, file_bytes) == 32 && offsetof(image_header, scheme) == 48);
static_assert(sizeof(image_section) == 32 && offsetof(image_section, checksum) == 24);

inline constexpr std::size_t image_alignment = 64;
// Three for routes, three for values, and those of the scheme.
inline constexpr std::size_t most_sections = 18;

constexpr std::uint64_t padded(std::uint64_t bytes) noexcept {
    return (bytes + (image_alignment - 1)) / image_alignment * image_alignment;
}
constexpr std::uint64_t section_offset_of_first(std::size_t sections) noexcept {
    return padded(sizeof(image_header) + sections * sizeof(image_section));
}
// Maximum size of header and section table together.
inline constexpr std::size_t most_start_bytes = section_offset_of_first(most_sections);

// Checksum of header and section table, which `file` must contain.
inline std::uint64_t header_checksum(std::span<const std::byte> file, std::size_t sections) noexcept {
    std::array<std::byte, most_start_bytes> head{};
    const std::size_t size = section_offset_of_first(std::min(sections, most_sections));
    std::memcpy(head.data(), file.data(), size);
    std::memset(head.data() + offsetof(image_header, checksum), 0, sizeof(std::uint64_t));
    return xxh64(std::span(head).first(size));
}

// Writes all checksums whose data fits in the file. Used by the writer, and by tests that damage a file.
inline void seal_image(std::span<std::byte> file) noexcept {
    image_header header;
    if (file.size() < sizeof header)
        return;
    std::memcpy(&header, file.data(), sizeof header);
    if (header.sections > most_sections || section_offset_of_first(header.sections) > file.size())
        return;
    for (std::size_t i = 0; i < header.sections; ++i) {
        std::byte* const at = file.data() + sizeof header + i * sizeof(image_section);
        image_section section;
        std::memcpy(&section, at, sizeof section);
        if (section.offset > file.size() || section.bytes > file.size() ||
            padded(section.bytes) > file.size() - section.offset)
            continue;
        section.checksum = xxh64(file.subspan(section.offset, padded(section.bytes)));
        std::memcpy(at, &section, sizeof section);
    }
    header.checksum = header_checksum(file, header.sections);
    std::memcpy(file.data(), &header, sizeof header);
}

} // namespace fingerpost
