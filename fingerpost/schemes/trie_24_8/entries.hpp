// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/trie_24_8/trie_24_8.hpp"

namespace fingerpost::trie_24_8 {

// Not for 32 bits, where dir_24_8 is the same.
template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    if constexpr (A::bits != 32) {
        static constexpr std::array schemes{make_entry<A, fib<A>>(
            {.name = "trie_24_8",
             .summary = "direct table on the first 24 bits, then groups of 256 entries for 8 bits each",
             .source = "DPDK's rte_lpm6 and rte_fib6",
             .vectorised = true,
             .large_when_empty = A::bits >= 64})};
        return schemes;
    } else {
        return {};
    }
}

} // namespace fingerpost::trie_24_8
