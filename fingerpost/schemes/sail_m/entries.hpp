// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/sail_m/sail_m.hpp"

namespace fingerpost::sail_m {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{make_entry<A, fib<A>>(
        {.name = "sail_m",
         .summary = "sail_l over the routes of several FIBs, with rows of their next hops",
         .source = "Yang et al., SAIL, SIGCOMM 2014, reconstructed from its description"})};
    return schemes;
}

} // namespace fingerpost::sail_m
