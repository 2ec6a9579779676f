// What the registry lists of this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/patricia/patricia.hpp"

namespace fingerpost::patricia {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array all{
        make_entry<A, fib<A>>({.name = "patricia",
                               .summary = "path-compressed binary trie, checked on the way down",
                               .source = "Morrison, PATRICIA, JACM 1968; Sklower, BSD radix tree, 1991"})};
    return all;
}

} // namespace fingerpost::patricia
