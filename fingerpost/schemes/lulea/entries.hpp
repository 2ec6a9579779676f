// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/lulea/lulea.hpp"

namespace fingerpost::lulea {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    if constexpr (A::bits >= 3 && A::bits <= 32) {
        static constexpr std::array schemes{make_entry<A, fib<A>>(
            {.name = "lulea",
             .summary = "three levels of bit masks, with a table of ranks instead of counting",
             .source = "Degermark, Brodnik, Carlsson, Pink, SIGCOMM 1997",
             .widest = 32,
             .most_next_hops = (std::uint64_t{1} << tag_shift) - 2})};
        return schemes;
    } else {
        return {};
    }
}

} // namespace fingerpost::lulea
