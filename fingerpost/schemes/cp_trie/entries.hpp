// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/cp_trie/cp_trie.hpp"

namespace fingerpost::cp_trie {

inline constexpr std::string_view source = "Islam, Khan, CP-Trie, HPSR 2021";

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{
        make_entry<A, fib<A>>(
            {.name = "cp_trie",
             .summary = "multibit trie of bitmaps with cumulative counts, 16 bits and then 8 bits a level",
             .source = source,
             .vectorised = true}),
        make_entry<A, fib<A, line_layout>>(
            {.name = "cp_trie:lines",
             .summary =
                 "variant: both bitmaps of a block in one cache line, equal neighbouring leaves merged",
             .source = source,
             .role = scheme_role::ablation,
             .vectorised = true})};
    return schemes;
}

} // namespace fingerpost::cp_trie
