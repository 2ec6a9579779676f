// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/hi_bst/hi_bst.hpp"

namespace fingerpost::hi_bst {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{make_entry<A, fib<A>>(
        {.name = "hi_bst",
         .summary = "balanced search tree with a node for each route, then up the routes around it",
         .source = "reconstructed from what CRAM, NSDI 2025, says of Hi-BST",
         .most_next_hops = code_mask})};
    return schemes;
}

} // namespace fingerpost::hi_bst
