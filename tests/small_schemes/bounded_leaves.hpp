// Packed leaves with other bounds than the library has: the form with bitmaps, which the library takes for
// large IPv4 tables, for tables of any size; and limits of capacity that small tables reach.
#pragma once

#include <span>
#include <utility>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/packed_leaves/packed_leaves.hpp"

namespace fingerpost::testing {

template <class A, packed_leaves::size_bounds Bounds>
class bounded_leaves {
  public:
    static constexpr unsigned min_length_with_ranges = packed_leaves::fib<A>::min_length_with_ranges;

    static expected<bounded_leaves> build(const routes<A>& table, const build_options& options = {}) {
        auto built = packed_leaves::fib<A>::build(table, options, Bounds);
        if (!built)
            return unexpected{built.error()};
        return bounded_leaves(std::move(*built));
    }
    next_hop lookup(A a) const noexcept { return fib_.lookup(a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept { fib_.lookup(in, out); }
    std::size_t memory_bytes() const noexcept { return fib_.memory_bytes(); }
    errc apply(const change<A>& c) noexcept { return fib_.apply(c); }
    errc sync_from(bounded_leaves& active) noexcept { return fib_.sync_from(active.fib_); }
    void begin_publish() noexcept { fib_.begin_publish(); }
    bool is_publish_finished() const noexcept { return fib_.is_publish_finished(); }
    void finish_publish() noexcept { fib_.finish_publish(); }

  private:
    explicit bounded_leaves(packed_leaves::fib<A> built) : fib_(std::move(built)) {}

    packed_leaves::fib<A> fib_;
};

inline constexpr packed_leaves::size_bounds bitmaps_always{.bitmaps_from = 0};
using forced_bitmap_form = bounded_leaves<ipv4_address, bitmaps_always>;

} // namespace fingerpost::testing
