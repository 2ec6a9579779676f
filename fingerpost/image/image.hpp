// The saved image of a table: its routes and its FIB in one file, which programs map and use as it is.
//
//      auto failure = ipv6_image::save("table.image", table);    whole, or the old file stays
//      auto saved = ipv6_image::open("table.image");              milliseconds, shared, read-only
//      saved->lookup(in, out);
//      table.assign(saved->copy_routes());                        and back
//
// Any number of threads may use an image at once. The file's format is in docs/inside/image_format.md.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/owner.hpp"
#include "fingerpost/base/path_ref.hpp"
#include "fingerpost/image/image_file.hpp"
#include "fingerpost/image/image_routes.hpp"
#include "fingerpost/table/table.hpp"
#include "fingerpost/values/view.hpp"

namespace fingerpost {

template <class A>
class image_view;

template <class A>
class image {
  public:
    // Builds a FIB and replaces the file, see replace_file(); after an error the old file is as it was. With
    // values, the next hop of each route is the number of its row; image_errc::capacity if there is no such
    // row. `scheme` is the name of one, of 32 characters at most; the empty one is the default.
    // image_errc::capacity also if there is no such scheme for this width.
    [[nodiscard]] static image_error save(path_ref path, const fingerpost::routes<A>& table,
                                          const value_view& values = {},
                                          std::string_view scheme = {}) noexcept;
    // Saves what has been committed, published or not. Keeps the writer waiting no longer than covered()
    // does.
    [[nodiscard]] static image_error save(path_ref path, const fingerpost::table<A>& live,
                                          const value_view& values = {}) noexcept;
    // Returns the image's bytes instead of writing them; errc::capacity as above, errc::unsupported without
    // such a scheme. Throws std::bad_alloc.
    static expected<aligned_array<std::byte>> compose(const fingerpost::routes<A>& table,
                                                      const build_options& options = {},
                                                      const value_view& values = {},
                                                      std::string_view scheme = {});

    // Checks the whole file, so that no lookup reads outside of it, and maps it; if the header is none of an
    // image, the rest is not read. The file must not be changed while it is mapped: save() to the same path
    // puts a new file there. In a file with images of both families it opens the one of this width.
    static expected<image, image_error> open(path_ref path, const build_options& options = {}) noexcept;
    // The same for a file that is already mapped.
    static expected<image, image_error> make(mapped_file file, const build_options& options = {}) noexcept;
    // Why a file of `file_bytes` that begins with `start` is no image of this width; see mapped_file.
    static std::optional<image_error> refuse_start(std::span<const std::byte> start,
                                                   std::uint64_t file_bytes) noexcept;
    image(image&& other) noexcept;
    image& operator=(image&& other) noexcept;
    ~image();

    // The lookups of snapshot<A>; `out` is at least as long as the input.
    next_hop lookup(A a) const noexcept { return fib_->lookup(a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        assert(out.size() >= in.size());
        fib_->lookup(in, out);
    }
    void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                       std::span<next_hop> out) const noexcept
        requires(A::bits > first_half)
    {
        fib_->lookup_halves(first, low, out);
    }
    [[nodiscard]] errc lookup_first64(std::span<const std::uint64_t> first,
                                      std::span<next_hop> out) const noexcept
        requires(A::bits > first_half)
    {
        return fib_->lookup_first64(first, out);
    }
    bool answers_first64() const noexcept
        requires(A::bits > first_half)
    {
        return fib_->answers_first64();
    }

    // The FIB, which reads the mapped file: for its parts and the steps of its lookups.
    const any_fib<A>& fib() const noexcept { return *fib_; }
    const scheme_entry<A>& scheme() const noexcept;

    // Exact queries and iteration in prefix order: saved.routes().get(p), for (route<A> r : saved.routes()).
    const image_routes<A>& routes() const noexcept { return routes_; }
    std::size_t size() const noexcept { return routes().size(); }
    next_hop get(prefix<A> p) const noexcept { return routes().get(p); }
    std::optional<route<A>> match(A a) const noexcept { return routes().match(a); }
    std::optional<route<A>> cover(prefix<A> p) const noexcept { return routes().cover(p); }
    // All routes, for rib::assign, table::assign and table::replace_all. Throws std::bad_alloc.
    std::vector<route<A>> copy_routes() const;

    // What next hops stand for, in the mapped file; without columns if the image has none. In a forged file a
    // lookup may return a number that has no row: use value(), or compare with rows().
    const value_view& values() const noexcept { return values_; }
    // Empty if there is no such row or column.
    std::string_view value(next_hop row, std::size_t column) const noexcept {
        const bool is_there = row.id < values().rows() && column < values().columns();
        return is_there ? values().cell(row, column) : std::string_view();
    }

    // True if the file also has an image of the other family.
    bool has_second() const noexcept;
    // Bytes of the mapped file, which all processes share, and of what had to be built for an older version.
    std::size_t memory_bytes() const noexcept;
    // Of the whole file, which may have a second image.
    std::size_t mapped_bytes() const noexcept { return file_.bytes().size(); }

  private:
    image(mapped_file file, owner<image_view<A>> view) noexcept;

    mapped_file file_;
    owner<image_view<A>> view_; // of the mapping, which stays where it is when this object moves
    const any_fib<A>* fib_;     // these three are the view's
    image_routes<A> routes_;
    value_view values_;
};

using ipv4_image = image<ipv4_address>;
using ipv6_image = image<ipv6_address>;

// Compiled once, in the library; image.inl.hpp has the bodies for other widths.
extern template class image<ipv4_address>;
extern template class image<ipv6_address>;

} // namespace fingerpost
