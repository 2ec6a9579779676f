// Which bytes of a file are the image of which family: a file holds one image, or one of each family, the
// second behind the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "fingerpost/image/image_format.hpp"

namespace fingerpost::detail {

// The width of an image's addresses as its header says, unchecked; 0 if the bytes are shorter than a header.
inline std::uint32_t address_bits_of(std::span<const std::byte> image) noexcept {
    std::uint32_t bits = 0;
    if (image.size() >= sizeof(image_header))
        std::memcpy(&bits, image.data() + offsetof(image_header, address_bits), sizeof bits);
    return bits;
}

// The size of the first image, in bytes, in a file of `file_bytes` that begins with `start`: that of the
// file, unless the header says that a second image follows.
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
// Without bytes if the file has one image only.
inline image_part second_part(std::span<const std::byte> file) noexcept {
    const std::uint64_t first = size_of_first(file, file.size());
    return {file.subspan(first), first};
}
// The image with addresses of this width. If there is none, the first image: to open it gives the error.
inline image_part part_of(std::span<const std::byte> file, unsigned address_bits) noexcept {
    const image_part second = second_part(file);
    const bool is_second = address_bits_of(file) != address_bits && !second.bytes.empty();
    return is_second ? second : first_part(file);
}

} // namespace fingerpost::detail
