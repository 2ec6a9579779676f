// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/neurotrie/neurotrie.hpp"

namespace fingerpost::neurotrie {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::string_view source =
        "reconstructed from Chen et al., Neurotrie, ICDCS 2022, and Zhu et al., ToN 2024";
    static constexpr std::array schemes{
        make_entry<A, fib<A>>(
            {.name = "neurotrie",
             .summary = "trie with a stride for each node and the least average depth at 25 bytes a route",
             .source = source,
             .vectorised = true}),
        make_entry<A, fib<A, chooser::learned>>(
            {.name = "neurotrie:learned",
             .summary = "variant: strides from a learned rule instead of the exact program",
             .source = source,
             .role = scheme_role::ablation,
             .vectorised = true}),
        make_entry<A, fib<A, chooser::shallow>>(
            {.name = "neurotrie:shallow",
             .summary = "variant: minimises the worst depth instead of the average depth",
             .source = source,
             .role = scheme_role::ablation,
             .vectorised = true}),
        make_entry<A, fib<A, chooser::exact, 20>>({.name = "neurotrie:20",
                                                   .summary = "variant: 20 bytes a route",
                                                   .source = source,
                                                   .role = scheme_role::ablation,
                                                   .vectorised = true}),
        make_entry<A, fib<A, chooser::exact, 50>>({.name = "neurotrie:50",
                                                   .summary = "variant: 50 bytes a route",
                                                   .source = source,
                                                   .role = scheme_role::ablation,
                                                   .vectorised = true})};
    return schemes;
}

} // namespace fingerpost::neurotrie
