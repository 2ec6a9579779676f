// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/packed_leaves/packed_leaves.hpp"

namespace fingerpost::packed_leaves {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{
        make_entry<A, fib<A>>({.name = "packed_leaves",
                               .summary = "three table steps to small trees, keys and answers in the same "
                                          "cache lines; bitmaps for large IPv4 tables",
                               .source = "fingerpost's own: docs/schemes/packed_leaves.md",
                               .vectorised = true})};
    return schemes;
}

} // namespace fingerpost::packed_leaves
