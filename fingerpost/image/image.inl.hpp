// Definitions of image<A> members, for the library and for tests of other widths.
#pragma once

#include <algorithm>
#include <utility>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/image/image.hpp"
#include "fingerpost/image/image_parts.hpp"
#include "fingerpost/image/image_view.inl.hpp"
#include "fingerpost/image/image_writer.hpp"
#include "fingerpost/registry/registry.hpp"

namespace fingerpost {

template <class A>
image<A>::image(mapped_file file, owner<image_view<A>> view) noexcept
    : file_(std::move(file)), view_(std::move(view)), fib_(&view_->fib()), routes_(view_->routes()),
      values_(view_->values()) {}
template <class A>
image<A>::image(image&& other) noexcept = default;
template <class A>
image<A>& image<A>::operator=(image&& other) noexcept = default;
template <class A>
image<A>::~image() = default;

template <class A>
expected<image<A>, image_error> image<A>::open(path_ref path, const build_options& options) noexcept {
    auto file = mapped_file::open(path, &refuse_start);
    if (!file)
        return unexpected{file.error()};
    return make(std::move(*file), options);
}

template <class A>
expected<image<A>, image_error> image<A>::make(mapped_file file, const build_options& options) noexcept try {
    const detail::image_part part = detail::part_of(file.bytes(), A::bits);
    auto view = image_view<A>::make(part.bytes, options);
    if (!view) {
        image_error failed = view.error();
        failed.offset += part.offset;
        return unexpected{failed};
    }
    return image(std::move(file), owner(new image_view<A>(std::move(*view))));
} catch (...) {
    return unexpected{image_shortage(reason_of_exception())};
}

template <class A>
std::optional<image_error> image<A>::refuse_start(std::span<const std::byte> start,
                                                  std::uint64_t file_bytes) noexcept {
    const std::uint64_t first = detail::size_of_first(start, file_bytes);
    // The second image may have this width, and `start` does not include it.
    if (first != file_bytes && detail::address_bits_of(start) != A::bits)
        return std::nullopt;
    return image_view<A>::refuse_start(start, first);
}

template <class A>
const scheme_entry<A>& image<A>::scheme() const noexcept {
    return view_->scheme();
}

template <class A>
std::vector<route<A>> image<A>::copy_routes() const {
    return routes().copy();
}

template <class A>
bool image<A>::has_second() const noexcept {
    return !detail::second_part(file_.bytes()).bytes.empty();
}

template <class A>
std::size_t image<A>::memory_bytes() const noexcept {
    return file_.bytes().size() + view_->memory_bytes();
}

template <class A>
expected<aligned_array<std::byte>> image<A>::compose(const fingerpost::routes<A>& table,
                                                     const build_options& options, const value_view& values,
                                                     std::string_view scheme) {
    const auto has_no_row = [&](const route<A>& r) { return r.hop.id >= values.rows(); };
    const auto& sorted = table.sorted();
    if (values.columns() != 0 && std::any_of(sorted.begin(), sorted.end(), has_no_row))
        return unexpected{errc::capacity};
    const scheme_entry<A>* const chosen = scheme.empty() ? &default_scheme<A>() : find_scheme<A>(scheme);
    if (chosen == nullptr || !chosen->saveable || chosen->facts.name.size() > sizeof image_header::scheme)
        return unexpected{errc::unsupported};
    const auto fib = chosen->build(table, options);
    if (!fib)
        return unexpected{fib.error()};
    return detail::image_writer<A>::write(sorted, chosen->facts.name, (*fib)->save(), values);
}

template <class A>
image_error image<A>::save(path_ref path, const fingerpost::routes<A>& table, const value_view& values,
                           std::string_view scheme) noexcept try {
    const auto bytes = compose(table, {}, values, scheme);
    if (!bytes)
        return image_shortage(bytes.error());
    return replace_file(path, bytes->span());
} catch (...) {
    return image_shortage(reason_of_exception());
}

template <class A>
image_error image<A>::save(path_ref path, const fingerpost::table<A>& live, const value_view& values) noexcept
    try {
    return save(path, fingerpost::routes<A>(live.copy_routes()), values);
} catch (...) {
    return image_shortage(reason_of_exception());
}

} // namespace fingerpost
