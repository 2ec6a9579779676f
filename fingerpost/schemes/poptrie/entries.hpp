// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/poptrie/poptrie.hpp"

namespace fingerpost::poptrie {

inline constexpr std::string_view source = "Asai, Ohara, Poptrie, SIGCOMM 2015";

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{
        make_entry<A, fib<A, 18>>(
            {.name = "poptrie",
             .summary = "multibit trie with two bitmaps in each node, direct pointing with 18 bits",
             .source = source,
             .vectorised = true,
             .large_when_empty = A::bits > 18}),
        make_entry<A, fib<A, 16>>({.name = "poptrie:16",
                                   .summary = "variant: direct pointing with 16 bits",
                                   .source = source,
                                   .role = scheme_role::ablation,
                                   .vectorised = true}),
        make_entry<A, fib<A, 0>>({.name = "poptrie:0",
                                  .summary = "ablation: no direct pointing",
                                  .source = source,
                                  .role = scheme_role::ablation,
                                  .vectorised = true}),
        make_entry<A, fib<A, 18, basic_node>>(
            {.name = "poptrie:basic",
             .summary = "ablation: without leafvec, a leaf for each slot without a child",
             .source = source,
             .role = scheme_role::ablation,
             .vectorised = true,
             .large_when_empty = A::bits > 18})};
    return schemes;
}

} // namespace fingerpost::poptrie
