// A saved table: routes and a FIB in one file, which programs map and use directly.
//
//      auto failure = ipv6_image::save("table.image", table);    atomic: on failure the old file remains
//      auto saved = ipv6_image::open("table.image");              milliseconds, shared, read-only
//      saved->lookup(in, out);
//      table.assign(saved->copy_routes());                        back to a live table
//
// Any number of threads may use an image concurrently. docs/inside/image_format.md describes the file format.
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
    // Builds a FIB and replaces the file (see replace_file()). On an error the old file is unchanged. With
    // values, the next hop of each route is a row number. Returns image_errc::capacity if there is no such
    // row, or no scheme with this name for this width. `scheme` has at most 32 characters; an empty name
    // selects the default.
    [[nodiscard]] static image_error save(path_ref path, const fingerpost::routes<A>& table,
                                          const value_view& values = {},
                                          std::string_view scheme = {}) noexcept;
    // Saves the committed routes, published or not. Blocks the writer no longer than covered() does.
    [[nodiscard]] static image_error save(path_ref path, const fingerpost::table<A>& live,
                                          const value_view& values = {}) noexcept;
    // Returns the bytes of the image instead of writing them. errc::capacity as for save(), errc::unsupported
    // if there is no such scheme. Throws std::bad_alloc.
    static expected<aligned_array<std::byte>> compose(const fingerpost::routes<A>& table,
                                                      const build_options& options = {},
                                                      const value_view& values = {},
                                                      std::string_view scheme = {});

    // Maps the file and checks all of it, so that no lookup can read outside. If the header is not that of an
    // image, the rest of the file is not read. The file must not be modified while it is mapped; save() to
    // the same path creates a new file. In a file with both families, opens the image of this width.
    static expected<image, image_error> open(path_ref path, const build_options& options = {}) noexcept;
    // Opens a file that is already mapped, like open().
    static expected<image, image_error> make(mapped_file file, const build_options& options = {}) noexcept;
    // Returns the reason why a file of `file_bytes` that begins with `start` is not an image of this width;
    // see mapped_file.
    static std::optional<image_error> refuse_start(std::span<const std::byte> start,
                                                   std::uint64_t file_bytes) noexcept;
    image(image&& other) noexcept;
    image& operator=(image&& other) noexcept;
    ~image();

    // Lookups as in snapshot<A>. `out` is at least as long as the input.
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

    // The FIB, which reads the mapped file. It is public for inspecting its parts and tracing lookups.
    const any_fib<A>& fib() const noexcept { return *fib_; }
    const scheme_entry<A>& scheme() const noexcept;

    // Exact queries and iteration in prefix order: saved.routes().get(p), for (route<A> r : saved.routes()).
    const image_routes<A>& routes() const noexcept { return routes_; }
    std::size_t size() const noexcept { return routes().size(); }
    next_hop get(prefix<A> p) const noexcept { return routes().get(p); }
    std::optional<route<A>> match(A a) const noexcept { return routes().match(a); }
    std::optional<route<A>> cover(prefix<A> p) const noexcept { return routes().cover(p); }
    // Returns all routes, for rib::assign, table::assign and table::replace_all. Throws std::bad_alloc.
    std::vector<route<A>> copy_routes() const;

    // Values of the next hops, in the mapped file. Has no columns if the image has no values. In a forged
    // file a lookup may return a number without a row, so use value() or compare with rows().
    const value_view& values() const noexcept { return values_; }
    // Returns an empty text if there is no such row or column.
    std::string_view value(next_hop row, std::size_t column) const noexcept {
        const bool is_there = row.id < values().rows() && column < values().columns();
        return is_there ? values().cell(row, column) : std::string_view();
    }

    // True if the file also has an image of the other family.
    bool has_second() const noexcept;
    // Bytes of the mapped file, which all processes share, and of structures rebuilt for an old version.
    std::size_t memory_bytes() const noexcept;
    // Size of the whole file, which may have a second image.
    std::size_t mapped_bytes() const noexcept { return file_.bytes().size(); }

  private:
    image(mapped_file file, owner<image_view<A>> view) noexcept;

    mapped_file file_;
    owner<image_view<A>> view_; // view of the mapping; its address does not change when this object moves
    const any_fib<A>* fib_;     // these members point into the view
    image_routes<A> routes_;
    value_view values_;
};

using ipv4_image = image<ipv4_address>;
using ipv6_image = image<ipv6_address>;

// Instantiated in the library. image.inl.hpp has the definitions for other widths.
extern template class image<ipv4_address>;
extern template class image<ipv6_address>;

} // namespace fingerpost
