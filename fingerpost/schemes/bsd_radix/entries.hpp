// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/bsd_radix/bsd_radix.hpp"

namespace fingerpost::bsd_radix {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{make_entry<A, fib<A>>(
        {.name = "bsd_radix",
         .summary = "Sklower's radix tree: descends by bits, compares once, backtracks through masks",
         .source = "Sklower, A tree-based packet routing table for Berkeley Unix, 1991"})};
    return schemes;
}

} // namespace fingerpost::bsd_radix
