// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/fib6_radix/fib6_radix.hpp"

namespace fingerpost::fib6_radix {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{make_entry<A, fib<A>>(
        {.name = "fib6_radix",
         .summary = "radix tree of Linux's IPv6 routing: descends by bits, then climbs and compares prefixes",
         .source = "Sklower, BSD radix tree, 1991; Linux fib6 as described by Bernat, 2017"})};
    return schemes;
}

} // namespace fingerpost::fib6_radix
