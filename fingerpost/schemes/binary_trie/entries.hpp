// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/binary_trie/binary_trie.hpp"

namespace fingerpost::binary_trie {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{
        make_entry<A, fib<A>>({.name = "binary_trie",
                               .summary = "one bit at each step; the textbook structure",
                               .source = "Fredkin, Trie Memory, CACM 1960"})};
    return schemes;
}

} // namespace fingerpost::binary_trie
