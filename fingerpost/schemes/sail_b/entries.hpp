// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/sail_b/sail_b.hpp"

namespace fingerpost::sail_b {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    if constexpr (A::bits >= 2 && A::bits <= 32) {
        static constexpr std::array schemes{make_entry<A, fib<A>>(
            {.name = "sail_b",
             .summary = "SAIL with a bitmap for each length up to 24, and arrays of next hops",
             .source = "Yang et al., SAIL, SIGCOMM 2014",
             .widest = 32,
             .most_next_hops = (std::uint64_t{1} << 28) - 2,
             .vectorised = true,
             .large_when_empty = A::bits > 24})};
        return schemes;
    } else {
        return {};
    }
}

} // namespace fingerpost::sail_b
