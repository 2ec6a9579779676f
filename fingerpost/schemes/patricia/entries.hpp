// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/patricia/patricia.hpp"

namespace fingerpost::patricia {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{make_entry<A, fib<A>>(
        {.name = "patricia",
         .summary = "path-compressed binary trie, with keys compared on the way down",
         .source = "after Morrison, PATRICIA, JACM 1968, with keys compared on the way down"})};
    return schemes;
}

} // namespace fingerpost::patricia
