// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/binary_search_on_prefixes/binary_search_on_prefixes.hpp"

namespace fingerpost::binary_search_on_prefixes {

inline constexpr std::string_view source = "Lampson, Srinivasan, Varghese, ToN 7(3), 1999";

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{
        make_entry<A, fib<A>>(
            {.name = "binary_search_on_prefixes",
             .summary =
                 "search among the sorted end points of all routes: multiway, a front array of 16 bits",
             .source = source,
             .vectorised = true}),
        make_entry<A, fib<A, search::binary>>(
            {.name = "binary_search_on_prefixes:binary",
             .summary = "ablation: the same points searched by halves, no front array",
             .source = source,
             .role = scheme_role::ablation}),
    };
    return schemes;
}

} // namespace fingerpost::binary_search_on_prefixes
