// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/multibit_variable/multibit_variable.hpp"

namespace fingerpost::multibit_variable {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    constexpr std::string_view source = "Srinivasan, Varghese, controlled prefix expansion, TOCS 1999";
    static constexpr std::array schemes{
        make_entry<A, fib<A>>({.name = "multibit_variable",
                               .summary = "multibit trie with a stride for each node, not leaf-pushed",
                               .source = source,
                               .vectorised = true}),
        make_entry<A, pushed<A>>({.name = "multibit_variable:pushed",
                                  .summary = "multibit trie with a stride for each node, leaf-pushed",
                                  .source = source,
                                  .role = scheme_role::ablation,
                                  .vectorised = true}),
        make_entry<A, packed<A>>(
            {.name = "multibit_variable:packed",
             .summary = "multibit trie with a stride for each node, leaf-pushed, small nodes packed",
             .source = source,
             .role = scheme_role::ablation}),
        make_entry<A, packed_open<A>>(
            {.name = "multibit_variable:packed_open",
             .summary = "multibit trie with a stride for each node, not leaf-pushed, small nodes packed",
             .source = source,
             .role = scheme_role::ablation}),
    };
    return schemes;
}

} // namespace fingerpost::multibit_variable
