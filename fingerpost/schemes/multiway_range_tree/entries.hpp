// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/multiway_range_tree/multiway_range_tree.hpp"

namespace fingerpost::multiway_range_tree {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{make_entry<A, fib<A>>(
        {.name = "multiway_range_tree",
         .summary = "B-tree over route endpoints; each route is stored on the few edges that it covers",
         .source = "reconstructed from Suri, Varghese, Warkhede, Multiway range trees, GLOBECOM 2001",
         .most_next_hops = fib<A>::most_codes,
         .vectorised = true})};
    return schemes;
}

} // namespace fingerpost::multiway_range_tree
