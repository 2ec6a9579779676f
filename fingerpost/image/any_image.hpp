// Images of either family or of both, for who learns from the file which there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>
#include <variant>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/image/image.hpp"

namespace fingerpost {

using any_image = std::variant<ipv4_image, ipv6_image>;

// At least one is there.
struct both_images {
    std::optional<ipv4_image> ipv4;
    std::optional<ipv6_image> ipv6;
};

// Opens, maps and checks the file once, as image<A>::open() does for the width that the file has: of a file
// with images of both families the first, which is IPv4's.
expected<any_image, image_error> open_any_image(const std::filesystem::path& path,
                                                const build_options& options = {}) noexcept;

// All images of the file. An error of one is an error.
expected<both_images, image_error> open_both_images(const std::filesystem::path& path,
                                                    const build_options& options = {}) noexcept;

// The bytes of a file with images of both families, each with values of its own, for who puts them elsewhere.
// Throws std::bad_alloc.
expected<aligned_array<std::byte>> compose_both_images(const routes<ipv4_address>& ipv4,
                                                       const value_view& ipv4_values,
                                                       const routes<ipv6_address>& ipv6,
                                                       const value_view& ipv6_values);

// Both families in one file, as image<A>::save() writes one.
[[nodiscard]] image_error save_both_images(const std::filesystem::path& path,
                                           const routes<ipv4_address>& ipv4, const value_view& ipv4_values,
                                           const routes<ipv6_address>& ipv6,
                                           const value_view& ipv6_values) noexcept;

} // namespace fingerpost
