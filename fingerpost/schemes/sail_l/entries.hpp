// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/sail_l/sail_l.hpp"

namespace fingerpost::sail_l {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{make_entry<A, fib<A>>(
        {.name = "sail_l",
         .summary = "leaf-pushed arrays for 16 bits and then 8 bits a level, with numbered chunks",
         .source = "Yang et al., SAIL, SIGCOMM 2014",
         .vectorised = true})};
    return schemes;
}

} // namespace fingerpost::sail_l
