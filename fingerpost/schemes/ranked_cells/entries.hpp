// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/ranked_cells/ranked_cells.hpp"

namespace fingerpost::ranked_cells {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    if constexpr (A::bits == 32) {
        static constexpr std::array schemes{
            make_entry<A, fib<A>>({.name = "ranked_cells",
                                   .summary = "bitmap of the /24s in which intervals end, and answers in "
                                              "address order; packed_leaves for large IPv4 tables",
                                   .source = "fingerpost's own: docs/schemes/packed_leaves.md",
                                   .role = scheme_role::ablation,
                                   .widest = 32,
                                   .vectorised = true,
                                   .large_when_empty = true})};
        return schemes;
    } else {
        return {};
    }
}

} // namespace fingerpost::ranked_cells
