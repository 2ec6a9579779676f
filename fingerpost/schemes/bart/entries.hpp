// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/bart/bart.hpp"

namespace fingerpost::bart {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{
        make_entry<A, fib<A>>({.name = "bart",
                               .summary = "path-compressed trie of octets with two bitsets in each node",
                               .source = "Gaissmaier, bart (Go); after Knuth's allotment routing table",
                               .vectorised = true})};
    return schemes;
}

} // namespace fingerpost::bart
