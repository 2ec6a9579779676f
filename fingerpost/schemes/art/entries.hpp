// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/art/art.hpp"

namespace fingerpost::art {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{
        make_entry<A, fib<A>>({.name = "art",
                               .summary = "trie of octets, each route allotted to the slots it covers",
                               .source = "Hariguchi, Allotment routing table, 2002; after Knuth",
                               .vectorised = A::bits == 32})};
    return schemes;
}

} // namespace fingerpost::art
