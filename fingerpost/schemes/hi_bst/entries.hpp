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
         .summary = "balanced search tree with a node for each route, then a climb through its covers",
         .source = "reconstructed from the description of Hi-BST in CRAM, NSDI 2025",
         .most_next_hops = code_mask})};
    return schemes;
}

} // namespace fingerpost::hi_bst
