// Opens the bytes of an image in memory as a FIB and routes, after checking all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/fib/scheme_entry.hpp"
#include "fingerpost/image/error.hpp"
#include "fingerpost/image/image_routes.hpp"
#include "fingerpost/values/view.hpp"

namespace fingerpost {

// Copies share the FIB. A view is valid as long as the bytes are.
template <class A>
class image_view {
  public:
    // `file` is aligned to a cache line and must not change, because checks are not repeated. The error has
    // the reason and its offset in `file`. O(bytes).
    static expected<image_view, image_error> make(std::span<const std::byte> file,
                                                  const build_options& options = {}) noexcept;

    // Returns the error that make() would return for a file of `file_bytes` that begins with `start`, as far
    // as header and section table show it. `start` holds most_start_bytes, or the whole file if it is
    // shorter.
    static std::optional<image_error> refuse_start(std::span<const std::byte> start,
                                                   std::uint64_t file_bytes) noexcept;

    const any_fib<A>& fib() const noexcept { return *fib_; }
    const scheme_entry<A>& scheme() const noexcept { return *scheme_; }
    const image_routes<A>& routes() const noexcept { return routes_; }
    // One row for each next hop of routes(). Has no columns if no values were saved.
    const value_view& values() const noexcept { return values_; }
    // Excludes the bytes of the file. Shared by all copies.
    std::size_t memory_bytes() const noexcept { return fib_->memory_bytes(); }

  private:
    class parser;

    std::shared_ptr<const any_fib<A>> fib_;
    const scheme_entry<A>* scheme_ = nullptr;
    image_routes<A> routes_;
    value_view values_;
};

// Instantiated in the library. image_view.inl.hpp has the definitions for other widths.
extern template class image_view<ipv4_address>;
extern template class image_view<ipv6_address>;

} // namespace fingerpost
