// A FIB of any scheme as one type. Virtual calls are per batch or per change.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/atomic_word.hpp"
#include "fingerpost/base/owner.hpp"
#include "fingerpost/fib/halves.hpp"
#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/fib/saveable.hpp"

namespace fingerpost {

// The defaults are for everything that a scheme may omit. scheme_entry states what it supports.
template <class A>
class any_fib {
  public:
    virtual ~any_fib() = default;
    any_fib(const any_fib&) = delete;
    any_fib& operator=(const any_fib&) = delete;

    // See scheme.hpp.
    virtual next_hop lookup(A a) const noexcept = 0;
    virtual void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept = 0;
    virtual std::size_t memory_bytes() const noexcept = 0;

    // See halves.hpp. For every table. `low` is as long as `first`.
    void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                       std::span<next_hop> out) const noexcept {
        assert(low.size() == first.size() && out.size() >= first.size());
        if (!first.empty())
            find_halves(first, low, out);
    }
    // Looks up addresses by their first halves. Returns errc::unsupported, and writes nothing, if a route is
    // longer than /64, because the first half of an address then does not determine the result.
    [[nodiscard]] errc lookup_first64(std::span<const std::uint64_t> first,
                                      std::span<next_hop> out) const noexcept {
        assert(out.size() >= first.size());
        if (!answers_first64())
            return errc::unsupported;
        find_halves(first, {}, out);
        return errc::ok;
    }
    // True if lookup_first64() succeeds. Remains true while the FIB is read, even if it is patched in place.
    bool answers_first64() const noexcept { return long_routes_.load_relaxed() == 0; }
    // Sets the number of routes longer than /64. Call it before a FIB is read that scheme_entry::build did
    // not create. Without this call, the FIB is assumed to have such routes.
    void set_long_routes(std::size_t count) noexcept { long_routes_.store_relaxed(count); }

    // See patchable.hpp. Exceptions are converted to error codes.
    virtual errc apply(const change<A>&) noexcept { return errc::unsupported; }
    virtual errc apply_in_place(const change<A>&, std::uint64_t) noexcept { return errc::unsupported; }
    virtual std::size_t room() const noexcept { return 0; }
    virtual std::size_t needs(const change<A>&) const noexcept { return 1; }
    virtual void reclaim(std::uint64_t) noexcept {}

    // See syncable.hpp. Returns errc::unsupported also for a FIB of another scheme.
    virtual errc sync_from(any_fib&) noexcept { return errc::unsupported; }
    virtual void begin_publish() noexcept {}
    virtual bool is_publish_finished() const noexcept { return true; }
    virtual void finish_publish() noexcept {}

    // See saveable.hpp. Throws std::bad_alloc.
    virtual saved_arrays save() const { return {}; }

    // See inspectable.hpp. By default there are no steps, one part and no nodes.
    virtual next_hop trace(A a, step_visitor) const { return lookup(a); }
    virtual std::vector<memory_part> memory_parts() const { return {{"all", memory_bytes()}}; }
    virtual void visit(node_visitor<A>) const {}

    // Equal for two FIBs of one type, and different for others.
    virtual const void* type() const noexcept = 0;

  protected:
    any_fib() = default;

    virtual void find_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                             std::span<next_hop> out) const noexcept = 0;

    // Counts a change that no reader has seen (count_long) or that readers may have seen
    // (count_long_in_place). A route added in place counts until the FIB is rebuilt, so lookup_first64()
    // cannot start to succeed between two such changes.
    void count_long(const change<A>& c) noexcept {
        if (c.where.length > first_half)
            set_long_routes(long_routes() + (c.after != next_hop::none) - (c.before != next_hop::none));
    }
    void count_long_in_place(const change<A>& c) noexcept {
        if (c.where.length > first_half && c.after != next_hop::none)
            set_long_routes(long_routes() + 1);
    }
    std::size_t long_routes() const noexcept { return long_routes_.load_relaxed(); }

  private:
    atomic_word<std::size_t> long_routes_{1};
};

template <class A>
using fib_pointer = owner<any_fib<A>>;

} // namespace fingerpost
