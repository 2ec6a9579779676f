// Opens files of either or both families, and writes two images as one file.
#include "fingerpost/image/any_image.hpp"

#include <cstring>
#include <utility>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/image/image_format.hpp"
#include "fingerpost/image/image_parts.hpp"

namespace fingerpost {

// If the file has neither width, both checks return an equally good error.
std::optional<image_error> detail::refuse_any_start(std::span<const std::byte> start,
                                                    std::uint64_t file_bytes) noexcept {
    return address_bits_of(start) == ipv4_address::bits
               ? image<ipv4_address>::refuse_start(start, file_bytes)
               : image<ipv6_address>::refuse_start(start, file_bytes);
}

namespace {

template <class A>
std::optional<image_error> open_if_there(path_ref path, const build_options& options,
                                         std::optional<image<A>>& into) {
    auto opened = image<A>::open(path, options);
    if (!opened)
        return opened.error();
    into.emplace(std::move(*opened));
    return std::nullopt;
}

} // namespace

expected<any_image, image_error> open_any_image(path_ref path, const build_options& options) noexcept {
    auto file = mapped_file::open(path, &detail::refuse_any_start);
    if (!file)
        return unexpected{file.error()};
    const auto make = [&]<class A>(A) -> expected<any_image, image_error> {
        auto opened = image<A>::make(std::move(*file), options);
        if (!opened)
            return unexpected{opened.error()};
        return any_image(std::move(*opened));
    };
    if (detail::address_bits_of(file->bytes()) == ipv4_address::bits)
        return make(ipv4_address{});
    return make(ipv6_address{});
}

expected<both_images, image_error> open_both_images(path_ref path, const build_options& options) noexcept {
    both_images images;
    auto first = open_any_image(path, options);
    if (!first)
        return unexpected{first.error()};
    // Each image has its own mapping, with shared pages.
    const bool has_second = std::visit([](const auto& image) { return image.has_second(); }, *first);
    std::optional<image_error> failed;
    if (auto* const four = std::get_if<ipv4_image>(&*first)) {
        images.ipv4.emplace(std::move(*four));
        if (has_second)
            failed = open_if_there<ipv6_address>(path, options, images.ipv6);
    } else {
        images.ipv6.emplace(std::move(std::get<ipv6_image>(*first)));
        if (has_second)
            failed = open_if_there<ipv4_address>(path, options, images.ipv4);
    }
    if (failed)
        return unexpected{*failed};
    return images;
}

expected<aligned_array<std::byte>> compose_both_images(const routes<ipv4_address>& ipv4,
                                                       const value_view& ipv4_values,
                                                       const routes<ipv6_address>& ipv6,
                                                       const value_view& ipv6_values,
                                                       std::string_view scheme) {
    const auto first = ipv4_image::compose(ipv4, {}, ipv4_values, scheme);
    if (!first)
        return unexpected{first.error()};
    const auto second = ipv6_image::compose(ipv6, {}, ipv6_values, scheme);
    if (!second)
        return unexpected{second.error()};
    auto both = aligned_array<std::byte>::make(first->size() + second->size());
    if (!both)
        return unexpected{errc::out_of_memory};
    std::memcpy(both->data(), first->data(), first->size());
    std::memcpy(both->data() + first->size(), second->data(), second->size());
    const std::uint64_t next = first->size();
    std::memcpy(both->data() + offsetof(image_header, next), &next, sizeof next);
    seal_image(both->span().first(next));
    return std::move(*both);
}

image_error save_both_images(path_ref path, const routes<ipv4_address>& ipv4, const value_view& ipv4_values,
                             const routes<ipv6_address>& ipv6, const value_view& ipv6_values,
                             std::string_view scheme) noexcept try {
    const auto bytes = compose_both_images(ipv4, ipv4_values, ipv6, ipv6_values, scheme);
    return bytes ? replace_file(path, bytes->span()) : image_shortage(bytes.error());
} catch (...) {
    return image_shortage(reason_of_exception());
}

} // namespace fingerpost
