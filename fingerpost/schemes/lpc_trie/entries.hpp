// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/lpc_trie/lpc_trie.hpp"

namespace fingerpost::lpc_trie {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{make_entry<A, fib<A>>(
        {.name = "lpc_trie",
         .summary = "trie of Linux's IPv4 routing: strides adapt to the routes, and lookups backtrack",
         .source = "Nilsson, Karlsson, LC-tries, JSAC 1999; Linux fib_trie"})};
    return schemes;
}

} // namespace fingerpost::lpc_trie
