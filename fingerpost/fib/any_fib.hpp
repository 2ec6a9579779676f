// A FIB of any scheme behind one type, erased at the level of a batch or a change.
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

// Has defaults for what a scheme does not offer; scheme_entry says which it offers.
template <class A>
class any_fib {
  public:
    virtual ~any_fib() = default;
    any_fib(const any_fib&) = delete;
    any_fib& operator=(const any_fib&) = delete;

    // As in scheme.hpp.
    virtual next_hop lookup(A a) const noexcept = 0;
    virtual void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept = 0;
    virtual std::size_t memory_bytes() const noexcept = 0;

    // As in halves.hpp, for every table: `low` is as long as `first`.
    void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                       std::span<next_hop> out) const noexcept {
        assert(low.size() == first.size() && out.size() >= first.size());
        if (!first.empty())
            find_halves(first, low, out);
    }
    // Without low halves. errc::unsupported, and nothing is written, if some route is longer than /64:
    // then the first half of an address does not decide its answer.
    [[nodiscard]] errc lookup_first64(std::span<const std::uint64_t> first,
                                      std::span<next_hop> out) const noexcept {
        assert(out.size() >= first.size());
        if (!answers_first64())
            return errc::unsupported;
        find_halves(first, {}, out);
        return errc::ok;
    }
    // True if it answers. Stays true while the FIB is read, also if changes are made in place.
    bool answers_first64() const noexcept { return long_routes_.load_relaxed() == 0; }
    // How many routes are longer than /64. To be called before a FIB is read that scheme_entry::build did not
    // make; without a call the FIB counts as having some.
    void set_long_routes(std::size_t count) noexcept { long_routes_.store_relaxed(count); }

    // As in patchable.hpp; exceptions have become codes.
    virtual errc apply(const change<A>&) noexcept { return errc::unsupported; }
    virtual errc apply_in_place(const change<A>&, std::uint64_t) noexcept { return errc::unsupported; }
    virtual std::size_t room() const noexcept { return 0; }
    virtual std::size_t needs(const change<A>&) const noexcept { return 1; }
    virtual void reclaim(std::uint64_t) noexcept {}

    // As in syncable.hpp; errc::unsupported also for a FIB of another scheme.
    virtual errc sync_from(any_fib&) noexcept { return errc::unsupported; }
    virtual void begin_publish() noexcept {}
    virtual bool is_publish_finished() const noexcept { return true; }
    virtual void finish_publish() noexcept {}

    // As in saveable.hpp. Throws std::bad_alloc.
    virtual saved_arrays save() const { return {}; }

    // As in inspectable.hpp: without steps, one part, no nodes.
    virtual next_hop trace(A a, step_visitor) const { return lookup(a); }
    virtual std::vector<memory_part> memory_parts() const { return {{"all", memory_bytes()}}; }
    virtual void visit(node_visitor<A>) const {}

    // The same for two FIBs of one type, and different for others.
    virtual const void* type() const noexcept = 0;

  protected:
    any_fib() = default;

    virtual void find_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                             std::span<next_hop> out) const noexcept = 0;

    // For a change that no reader has seen, or that readers may have seen. A route that came in place
    // counts until the FIB is built anew, so that lookup_first64() never starts between two such changes.
    void count_long(const change<A>& made) noexcept {
        if (made.where.length > first_half)
            set_long_routes(long_routes() + (made.after != next_hop::none) - (made.before != next_hop::none));
    }
    void count_long_in_place(const change<A>& made) noexcept {
        if (made.where.length > first_half && made.after != next_hop::none)
            set_long_routes(long_routes() + 1);
    }
    std::size_t long_routes() const noexcept { return long_routes_.load_relaxed(); }

  private:
    atomic_word<std::size_t> long_routes_{1};
};

template <class A>
using fib_pointer = owner<any_fib<A>>;

} // namespace fingerpost
