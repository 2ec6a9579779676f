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
                 "multiway search among the sorted end points of all routes, with a 16-bit front array",
             .source = source,
             .vectorised = true}),
        make_entry<A, fib<A, search::binary>>(
            {.name = "binary_search_on_prefixes:binary",
             .summary = "ablation: plain binary search among the points, without a front array",
             .source = source,
             .role = scheme_role::ablation}),
    };
    return schemes;
}

} // namespace fingerpost::binary_search_on_prefixes
