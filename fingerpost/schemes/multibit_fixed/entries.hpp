// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/multibit_fixed/multibit_fixed.hpp"

namespace fingerpost::multibit_fixed {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    constexpr std::string_view source = "Srinivasan, Varghese, controlled prefix expansion, TOCS 1999";
    static constexpr std::array schemes{
        make_entry<A, fib<A>>({.name = "multibit_fixed",
                               .summary = "multibit trie with a stride for each level, not leaf-pushed",
                               .source = source,
                               .vectorised = true,
                               .takes_strides = true}),
        make_entry<A, pushed<A>>({.name = "multibit_fixed:pushed",
                                  .summary = "multibit trie with a stride for each level, leaf-pushed",
                                  .source = source,
                                  .role = scheme_role::ablation,
                                  .vectorised = true,
                                  .takes_strides = true}),
        make_entry<A, packed<A>>(
            {.name = "multibit_fixed:packed",
             .summary = "multibit trie with a stride for each level, leaf-pushed, small nodes packed",
             .source = source,
             .role = scheme_role::ablation,
             .takes_strides = true}),
    };
    return schemes;
}

} // namespace fingerpost::multibit_fixed
