// Packed leaves that lie in an image: lookups, and what shows how these answer.
#pragma once

#include <cstddef>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/schemes/packed_leaves/inspection/inspect.hpp"
#include "fingerpost/schemes/packed_leaves/lookup.hpp"

namespace fingerpost::packed_leaves {

template <class A>
class mapped_fib : public fib_view<A> {
  public:
    mapped_fib(const fib_arrays<A>& arrays, const kernel_set& kernels, const simd::tuning& how) noexcept
        : fib_view<A>(arrays, kernels, how), arrays_(arrays) {}

    // As in fib/inspectable.hpp.
    next_hop trace(A a, step_visitor each) const { return trace_lookup(arrays_, a, each, false); }
    std::vector<memory_part> memory_parts() const { return parts_of(arrays_); }
    void visit(node_visitor<A> each) const { visit_structure(arrays_, true, each); }

  private:
    fib_arrays<A> arrays_;
};

} // namespace fingerpost::packed_leaves
