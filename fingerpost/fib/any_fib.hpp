// A FIB of any scheme behind one type, erased at the level of a batch or a change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/fib/saveable.hpp"

namespace fingerpost {

// What a scheme lacks has these answers here; its scheme_entry tells before.
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
};

template <class A>
using fib_pointer = std::unique_ptr<any_fib<A>>;

} // namespace fingerpost
