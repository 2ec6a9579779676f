// Opens an image file of which it is not known which families it has, and writes images of both families as
// one file.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/image/image.hpp"

namespace fingerpost {

using any_image = std::variant<ipv4_image, ipv6_image>;

// At least one of them is there.
struct both_images {
    std::optional<ipv4_image> ipv4;
    std::optional<ipv6_image> ipv6;
};

// image<A>::open() with the family that the file has. Of a file with images of both families, opens the
// first, which is IPv4's.
expected<any_image, image_error> open_any_image(path_ref path, const build_options& options = {}) noexcept;

// All images of the file; an error if one of them has an error.
expected<both_images, image_error> open_both_images(path_ref path,
                                                    const build_options& options = {}) noexcept;

// Returns the bytes of a file with images of both families, each with its own values, the rows that next hops
// number, and FIBs of one scheme, as in image<A>::save(). errc::capacity if a next hop has no row or a FIB
// cannot be built; errc::unsupported without the scheme; errc::out_of_memory. Throws std::bad_alloc.
expected<aligned_array<std::byte>> compose_both_images(const routes<ipv4_address>& ipv4,
                                                       const value_view& ipv4_values,
                                                       const routes<ipv6_address>& ipv6,
                                                       const value_view& ipv6_values,
                                                       std::string_view scheme = {});

// Saves both tables as image<A>::save() saves one: code is image_errc::ok on success, and an error, also
// image_errc::out_of_memory, leaves the old file as it was.
[[nodiscard]] image_error save_both_images(path_ref path, const routes<ipv4_address>& ipv4,
                                           const value_view& ipv4_values, const routes<ipv6_address>& ipv6,
                                           const value_view& ipv6_values,
                                           std::string_view scheme = {}) noexcept;

} // namespace fingerpost
