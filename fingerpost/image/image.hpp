// The saved image of a table: its routes and its FIB in one file, which programs map and look up in as it is.
//
//      auto failure = ipv6_image::save("table.image", table);    whole, or the old file stays
//      auto saved = ipv6_image::open("table.image");              milliseconds, shared, read-only
//      saved->lookup(in, out);
//      table.assign(saved->copy_routes());                        and back
//
// The file is docs/inside/image_format.md's.
#pragma once

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/image/image_file.hpp"
#include "fingerpost/image/image_parts.hpp"
#include "fingerpost/image/image_view.hpp"
#include "fingerpost/image/image_writer.hpp"
#include "fingerpost/table/table.hpp"

namespace fingerpost {

// Everything but save() and open() is for any number of threads at once.
template <class A>
class image {
  public:
    // Builds a FIB of the default scheme, whatever FIB the table has, and replaces the file; see
    // replace_file(). With values, the next hop of each route is the number of its row: capacity when there
    // is none.
    [[nodiscard]] static image_error save(const std::filesystem::path& path,
                                          const fingerpost::routes<A>& table,
                                          const value_view& values = {}) noexcept;
    // What has been committed, published or not. The writer may go on meanwhile.
    [[nodiscard]] static image_error save(const std::filesystem::path& path, const fingerpost::table<A>& live,
                                          const value_view& values = {}) noexcept;
    // The image's bytes, for who puts them elsewhere. Throws std::bad_alloc.
    static expected<aligned_array<std::byte>> compose(const fingerpost::routes<A>& table,
                                                      const build_options& options = {},
                                                      const value_view& values = {});

    // Checks all of the file, so that no lookup reads outside of it, and keeps it mapped; what its header
    // shows to be no image is not read any further. It must stay as it is; save() to the same path puts a new
    // file there and leaves this one to those that have it open. Of a file with images of both families the
    // one of this width is opened.
    static expected<image, image_error> open(const std::filesystem::path& path,
                                             const build_options& options = {}) noexcept {
        auto file = mapped_file::open(path, &refuse_start);
        if (!file)
            return unexpected{file.error()};
        return make(std::move(*file), options);
    }
    // Of a file that is mapped already.
    static expected<image, image_error> make(mapped_file file, const build_options& options = {}) noexcept {
        image opened;
        opened.file_ = std::move(file);
        const detail::image_part part = detail::part_of(opened.file_.bytes(), A::bits);
        const auto view = image_view<A>::make(part.bytes, options);
        if (!view) {
            image_error failed = view.error();
            failed.offset += part.offset;
            return unexpected{failed};
        }
        opened.view_ = *view;
        return opened;
    }
    // Why not to map a file that begins so; see mapped_file.
    static std::optional<image_error> refuse_start(std::span<const std::byte> start,
                                                   std::uint64_t file_bytes) noexcept {
        const std::uint64_t first = detail::size_of_first(start, file_bytes);
        // The second image may be the one of this width, and is not in what has been read.
        if (first != file_bytes && detail::address_bits_of(start) != A::bits)
            return std::nullopt;
        return image_view<A>::refuse_start(start, first);
    }

    next_hop lookup(A a) const noexcept { return view_.fib().lookup(a); }
    // `out` at least as long as `in`.
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        assert(out.size() >= in.size());
        view_.fib().lookup(in, out);
    }

    // As snapshot<A> has them.
    void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                       std::span<next_hop> out) const noexcept
        requires(A::bits > first_half)
    {
        view_.fib().lookup_halves(first, low, out);
    }
    [[nodiscard]] errc lookup_first64(std::span<const std::uint64_t> first,
                                      std::span<next_hop> out) const noexcept
        requires(A::bits > first_half)
    {
        return view_.fib().lookup_first64(first, out);
    }
    bool answers_first64() const noexcept
        requires(A::bits > first_half)
    {
        return view_.fib().answers_first64();
    }

    // The FIB, which reads the mapped file: for its parts and the steps of its lookups.
    const any_fib<A>& fib() const noexcept { return view_.fib(); }

    // Exact queries and iteration in prefix order: saved.routes().get(p), for (route<A> r : saved.routes()).
    const image_routes<A>& routes() const noexcept { return view_.routes(); }
    std::size_t size() const noexcept { return routes().size(); }
    next_hop get(prefix<A> p) const noexcept { return routes().get(p); }
    std::optional<route<A>> match(A a) const noexcept { return routes().match(a); }
    std::optional<route<A>> cover(prefix<A> p) const noexcept { return routes().cover(p); }
    // What next hops stand for, where the file lies; without columns when the image has none. Of a forged
    // file a lookup may return a number that has no row: ask value(), or compare with rows().
    const value_view& values() const noexcept { return view_.values(); }
    // Empty also when there is no such row or column.
    std::string_view value(next_hop row, std::size_t column) const noexcept {
        const bool is_there = row.id < values().rows() && column < values().columns();
        return is_there ? values().cell(row, column) : std::string_view();
    }
    // For rib::assign, table::assign and table::replace_all. Throws std::bad_alloc.
    std::vector<route<A>> copy_routes() const {
        std::vector<route<A>> all;
        all.reserve(size());
        std::copy(routes().begin(), routes().end(), std::back_inserter(all));
        return all;
    }

    // Whether the file has an image of the other family, too.
    bool has_second() const noexcept { return !detail::second_part(file_.bytes()).bytes.empty(); }
    // Of the mapped file, which all that have it open share, and of what its version lacks.
    std::size_t memory_bytes() const noexcept { return file_.bytes().size() + view_.memory_bytes(); }

  private:
    image() = default;

    mapped_file file_;
    image_view<A> view_; // of the mapping, which stays where it is when this object moves
};

template <class A>
expected<aligned_array<std::byte>> image<A>::compose(const fingerpost::routes<A>& table,
                                                     const build_options& options, const value_view& values) {
    const auto has_no_row = [&](const route<A>& one) { return one.hop.id >= values.rows(); };
    const auto& sorted = table.sorted();
    if (values.columns() != 0 && std::any_of(sorted.begin(), sorted.end(), has_no_row))
        return unexpected{errc::capacity};
    const scheme_entry<A>& scheme = default_scheme<A>();
    const auto fib = scheme.build(table, options);
    if (!fib)
        return unexpected{fib.error()};
    return detail::image_writer<A>::write(sorted, scheme.facts.name, (*fib)->save(), values);
}

template <class A>
image_error image<A>::save(const std::filesystem::path& path, const fingerpost::routes<A>& table,
                           const value_view& values) noexcept try {
    const auto bytes = compose(table, {}, values);
    if (!bytes)
        return image_shortage(bytes.error());
    return replace_file(path, bytes->span());
} catch (...) {
    return image_shortage(reason_of_exception());
}

template <class A>
image_error image<A>::save(const std::filesystem::path& path, const fingerpost::table<A>& live,
                           const value_view& values) noexcept try {
    return save(path, fingerpost::routes<A>(live.copy_routes()), values);
} catch (...) {
    return image_shortage(reason_of_exception());
}

using ipv4_image = image<ipv4_address>;
using ipv6_image = image<ipv6_address>;

// Compiled once, in the library.
extern template class image_view<ipv4_address>;
extern template class image_view<ipv6_address>;
extern template class image<ipv4_address>;
extern template class image<ipv6_address>;

} // namespace fingerpost
