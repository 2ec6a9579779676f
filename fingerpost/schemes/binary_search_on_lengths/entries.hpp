// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/binary_search_on_lengths/binary_search_on_lengths.hpp"

namespace fingerpost::binary_search_on_lengths {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::string_view paper = "Waldvogel et al., SIGCOMM 1997";
    static constexpr auto most = length_store<A>::most_codes - 1;
    static constexpr std::array schemes{
        make_entry<A, fib<A>>({.name = "binary_search_on_lengths",
                               .summary = "binary search on lengths among hashed prefixes and markers",
                               .source = paper,
                               .most_next_hops = most,
                               .vectorised = true}),
        make_entry<A, fib<A, tree_kind::weighted>>(
            {.name = "binary_search_on_lengths:weighted",
             .summary = "variant: the tree of lengths with the smallest average depth of routes",
             .source = paper,
             .role = scheme_role::ablation,
             .most_next_hops = most,
             .vectorised = true}),
        make_entry<A, fib<A, tree_kind::balanced, 16>>(
            {.name = "binary_search_on_lengths:front",
             .summary = "variant: an array indexed by the first 16 bits before the search",
             .source = paper,
             .role = scheme_role::ablation,
             .most_next_hops = most,
             .vectorised = true})};
    return schemes;
}

} // namespace fingerpost::binary_search_on_lengths
