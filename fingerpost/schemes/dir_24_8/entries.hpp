// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/dir_24_8/dir_24_8.hpp"

namespace fingerpost::dir_24_8 {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    if constexpr (A::bits >= 2 && A::bits <= 32) {
        static constexpr std::array schemes{make_entry<A, fib<A>>(
            {.name = "dir_24_8",
             .summary = "direct table on the first 24 bits, spill groups for the last 8",
             .source = "Gupta, Lin, McKeown, INFOCOM 1998; as in DPDK's rte_fib",
             .widest = 32,
             .vectorised = true,
             .large_when_empty = A::bits > 18})};
        return schemes;
    } else {
        return {};
    }
}

} // namespace fingerpost::dir_24_8
