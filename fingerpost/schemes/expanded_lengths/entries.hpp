// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/expanded_lengths/expanded_lengths.hpp"
#include "fingerpost/schemes/expanded_lengths/hybrid.hpp"

namespace fingerpost::expanded_lengths {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::string_view source =
        "Srinivasan, Varghese, controlled prefix expansion, TOCS 1999; "
        "the program for levels reconstructed from section 6";
    static constexpr auto most = length_store<A>::most_codes - 1;
    static constexpr std::array schemes{
        make_entry<A, fib<A>>(
            {.name = "expanded_lengths",
             .summary = "routes expanded to a few hashed lengths, with binary search on the lengths",
             .source = source,
             .most_next_hops = most,
             .vectorised = true}),
        make_entry<A, hybrid<A>>(
            {.name = "expanded_lengths:hybrid",
             .summary = "variant: hash tables at 1/4, 1/2 and 3/4 of the address, tries between them",
             .source = "Srinivasan, Varghese, controlled prefix expansion, TOCS 1999; "
                       "reconstructed from section 7",
             .role = scheme_role::ablation}),
    };
    return schemes;
}

} // namespace fingerpost::expanded_lengths
