// Opens an image whose families are not known in advance, and writes images of both families as one file.
#pragma once

#include <cstddef>
#include <optional>
#include <variant>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/image/image.hpp"

namespace fingerpost {

using any_image = std::variant<ipv4_image, ipv6_image>;

// Has at least one of them.
struct both_images {
    std::optional<ipv4_image> ipv4;
    std::optional<ipv6_image> ipv6;
};

// Opens the file like image<A>::open(), for the width that it has. In a file with images of both families it
// opens the first, which is IPv4's.
expected<any_image, image_error> open_any_image(path_ref path, const build_options& options = {}) noexcept;

// All images of the file; an error if one of them has an error.
expected<both_images, image_error> open_both_images(path_ref path,
                                                    const build_options& options = {}) noexcept;

// The bytes of a file with images of both families, each with its own values. Errors as image<A>::compose().
// Throws std::bad_alloc.
expected<aligned_array<std::byte>> compose_both_images(const routes<ipv4_address>& ipv4,
                                                       const value_view& ipv4_values,
                                                       const routes<ipv6_address>& ipv6,
                                                       const value_view& ipv6_values);

// Replaces the file by one with images of both families; after an error the old file is as it was.
[[nodiscard]] image_error save_both_images(path_ref path, const routes<ipv4_address>& ipv4,
                                           const value_view& ipv4_values, const routes<ipv6_address>& ipv6,
                                           const value_view& ipv6_values) noexcept;

} // namespace fingerpost
