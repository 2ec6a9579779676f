// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/lc_trie/lc_trie.hpp"

namespace fingerpost::lc_trie {

inline constexpr std::string_view source = "Nilsson, Karlsson, IEEE JSAC 17(6), 1999";

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{
        make_entry<A, fib<A>>(
            {.name = "lc_trie",
             .summary =
                 "level- and path-compressed trie over sorted routes, with half of the children in use",
             .source = source,
             .vectorised = true}),
        make_entry<A, fib<A, 25>>({.name = "lc_trie:quarter",
                                   .summary = "variant: 1/4 of the children in use",
                                   .source = source,
                                   .role = scheme_role::ablation,
                                   .vectorised = true}),
        make_entry<A, fib<A, 100, 0>>(
            {.name = "lc_trie:complete",
             .summary = "variant: all children in use, the root chosen like the other nodes",
             .source = source,
             .role = scheme_role::ablation,
             .vectorised = true})};
    return schemes;
}

} // namespace fingerpost::lc_trie
