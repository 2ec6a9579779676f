// Locates the image of each family in a file. A file contains one image, or one of each family, the second
// after the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "fingerpost/image/error.hpp"
#include "fingerpost/image/image_format.hpp"

namespace fingerpost::detail {

// Address width in an image's header, unchecked. 0 if the bytes are shorter than a header.
inline std::uint32_t address_bits_of(std::span<const std::byte> image) noexcept {
    std::uint32_t bits = 0;
    if (image.size() >= sizeof(image_header))
        std::memcpy(&bits, image.data() + offsetof(image_header, address_bits), sizeof bits);
    return bits;
}

// Size in bytes of the first image in a file of `file_bytes` that begins with `start`: the whole file, unless
// the header has the start of a second image.
inline std::uint64_t size_of_first(std::span<const std::byte> start, std::uint64_t file_bytes) noexcept {
    image_header header;
    if (start.size() < sizeof header)
        return file_bytes;
    std::memcpy(&header, start.data(), sizeof header);
    const bool has_second = header.version >= first_version_with_two && header.next == header.file_bytes &&
                            header.next != 0 && header.next % image_alignment == 0;
    return has_second && header.next < file_bytes ? header.next : file_bytes;
}

// Bytes of a file, and their position in it.
struct image_part {
    std::span<const std::byte> bytes;
    std::uint64_t offset = 0;
};

inline image_part first_part(std::span<const std::byte> file) noexcept {
    return {file.first(size_of_first(file, file.size())), 0};
}
// Returns no bytes if the file has only one image.
inline image_part second_part(std::span<const std::byte> file) noexcept {
    const std::uint64_t first = size_of_first(file, file.size());
    return {file.subspan(first), first};
}
// Returns the image of this address width. If there is none, returns the first image; opening it reports the
// error.
inline image_part part_of(std::span<const std::byte> file, unsigned address_bits) noexcept {
    const image_part second = second_part(file);
    const bool is_second = address_bits_of(file) != address_bits && !second.bytes.empty();
    return is_second ? second : first_part(file);
}

// For mapped_file::open(): refuses files that are not an image of either family. Defined in any_image.cpp.
std::optional<image_error> refuse_any_start(std::span<const std::byte> start,
                                            std::uint64_t file_bytes) noexcept;

} // namespace fingerpost::detail
