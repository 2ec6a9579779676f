// Which bytes of a file are the image of which family: a file holds one image, or one of each family, the
// second behind the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "fingerpost/image/image_format.hpp"

namespace fingerpost::detail {

// As the header says, unchecked; 0 without a header.
inline std::uint32_t address_bits_of(std::span<const std::byte> image) noexcept {
    std::uint32_t bits = 0;
    if (image.size() >= sizeof(image_header))
        std::memcpy(&bits, image.data() + offsetof(image_header, address_bits), sizeof bits);
    return bits;
}

// Of the first image in a file of `file_bytes` that begins with `start`: all of it, unless the header tells
// of a second image behind it.
inline std::uint64_t size_of_first(std::span<const std::byte> start, std::uint64_t file_bytes) noexcept {
    image_header header;
    if (start.size() < sizeof header)
        return file_bytes;
    std::memcpy(&header, start.data(), sizeof header);
    const bool has_second = header.version >= first_version_with_two && header.next == header.file_bytes &&
                            header.next != 0 && header.next % image_alignment == 0;
    return has_second && header.next < file_bytes ? header.next : file_bytes;
}

// Bytes of a file, and where in it they begin.
struct image_part {
    std::span<const std::byte> bytes;
    std::uint64_t offset = 0;
};

inline image_part first_part(std::span<const std::byte> file) noexcept {
    return {file.first(size_of_first(file, file.size())), 0};
}
// Empty when there is one image only.
inline image_part second_part(std::span<const std::byte> file) noexcept {
    const std::uint64_t first = size_of_first(file, file.size());
    return {file.subspan(first), first};
}
// The one of this width; if there is none, the first, and opening that one gives the error.
inline image_part part_of(std::span<const std::byte> file, unsigned address_bits) noexcept {
    const image_part second = second_part(file);
    const bool is_second = address_bits_of(file) != address_bits && !second.bytes.empty();
    return is_second ? second : first_part(file);
}

} // namespace fingerpost::detail
