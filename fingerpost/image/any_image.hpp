// An image of either family, for who learns from the file which one it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "fingerpost/image/image.hpp"

namespace fingerpost {

using any_image = std::variant<ipv4_image, ipv6_image>;

namespace detail {

// As the header says, which nobody has checked yet; 0 when there is none.
inline std::uint32_t address_bits_of(std::span<const std::byte> file) noexcept {
    std::uint32_t bits = 0;
    if (file.size() >= sizeof(image_header))
        std::memcpy(&bits, file.data() + offsetof(image_header, address_bits), sizeof bits);
    return bits;
}

// What is neither has an error that does not depend on the width that is asked for, or is of another one.
inline std::optional<image_error> refuse_any_start(std::span<const std::byte> start,
                                                   std::uint64_t file_bytes) noexcept {
    return address_bits_of(start) == ipv4_address::bits
               ? image_view<ipv4_address>::refuse_start(start, file_bytes)
               : image_view<ipv6_address>::refuse_start(start, file_bytes);
}

template <class A>
expected<any_image, image_error> make_any_image(mapped_file file, const build_options& options) noexcept {
    auto made = image<A>::make(std::move(file), options);
    if (!made)
        return unexpected{made.error()};
    return any_image(std::move(*made));
}

} // namespace detail

// Opens, maps and checks the file once, as image<A>::open() does for the width that the file has.
inline expected<any_image, image_error> open_any_image(const std::filesystem::path& path,
                                                       const build_options& options = {}) noexcept {
    auto file = mapped_file::open(path, &detail::refuse_any_start);
    if (!file)
        return unexpected{file.error()};
    if (detail::address_bits_of(file->bytes()) == ipv4_address::bits)
        return detail::make_any_image<ipv4_address>(std::move(*file), options);
    return detail::make_any_image<ipv6_address>(std::move(*file), options);
}

} // namespace fingerpost
