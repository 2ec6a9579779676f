// Opens an image file of unknown families, and writes images of both families as one file.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/image/image.hpp"

namespace fingerpost {

using any_image = std::variant<ipv4_image, ipv6_image>;

// At least one image is present.
struct both_images {
    std::optional<ipv4_image> ipv4;
    std::optional<ipv6_image> ipv6;
};

// Opens the image of whichever family the file has, like image<A>::open(). If the file has both, opens the
// first one, which is IPv4.
expected<any_image, image_error> open_any_image(path_ref path, const build_options& options = {}) noexcept;

// Opens all images of the file. Fails if any of them has an error.
expected<both_images, image_error> open_both_images(path_ref path,
                                                    const build_options& options = {}) noexcept;

// Returns the bytes of a file with images of both families. As in image<A>::save(), next hops are row numbers
// of the family's values, and both FIBs use one scheme. errc::capacity if a next hop has no row or a FIB
// cannot be built; errc::unsupported if there is no such scheme; errc::out_of_memory. Throws std::bad_alloc.
expected<aligned_array<std::byte>> compose_both_images(const routes<ipv4_address>& ipv4,
                                                       const value_view& ipv4_values,
                                                       const routes<ipv6_address>& ipv6,
                                                       const value_view& ipv6_values,
                                                       std::string_view scheme = {});

// Saves both tables in one file, like image<A>::save(). On success the code is image_errc::ok. On any error,
// also image_errc::out_of_memory, the old file is unchanged.
[[nodiscard]] image_error save_both_images(path_ref path, const routes<ipv4_address>& ipv4,
                                           const value_view& ipv4_values, const routes<ipv6_address>& ipv6,
                                           const value_view& ipv6_values,
                                           std::string_view scheme = {}) noexcept;

} // namespace fingerpost
