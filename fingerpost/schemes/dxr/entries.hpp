// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/dxr/dxr.hpp"

namespace fingerpost::dxr {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    if constexpr (A::bits >= 2 && A::bits <= 32) {
        constexpr const char* source =
            "Zec, Rizzo, Mikuc, DXR, CCR 42(5), 2012; entries as in FreeBSD's fib_dxr";
        static constexpr std::array schemes{
            make_entry<A, fib<A, 18>>({.name = "dxr",
                                       .summary = "direct table on the first 18 bits, then sorted ranges",
                                       .source = source,
                                       .widest = 32,
                                       .most_next_hops = fib<A, 18>::most_codes - 1,
                                       .vectorised = true,
                                       .large_when_empty = A::bits >= 32}),
            make_entry<A, fib<A, 16>>({.name = "dxr:d16r",
                                       .summary = "variant: a direct table on the first 16 bits",
                                       .source = source,
                                       .role = scheme_role::ablation,
                                       .widest = 32,
                                       .most_next_hops = fib<A, 16>::most_codes - 1,
                                       .vectorised = true}),
            make_entry<A, fib<A, 20>>({.name = "dxr:d20r",
                                       .summary = "variant: a direct table on the first 20 bits",
                                       .source = source,
                                       .role = scheme_role::ablation,
                                       .widest = 32,
                                       .most_next_hops = fib<A, 20>::most_codes - 1,
                                       .vectorised = true,
                                       .large_when_empty = A::bits >= 32}),
            make_entry<A, fib<A, 20, true>>(
                {.name = "dxr:split",
                 .summary = "variant: a direct table on 20 bits, in blocks that are stored once if equal",
                 .source = "FreeBSD's fib_dxr",
                 .role = scheme_role::ablation,
                 .widest = 32,
                 .most_next_hops = fib<A, 20, true>::most_codes - 1,
                 .vectorised = true})};
        return schemes;
    } else {
        return {};
    }
}

} // namespace fingerpost::dxr
