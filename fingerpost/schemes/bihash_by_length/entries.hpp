// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/bihash_by_length/bihash_by_length.hpp"

namespace fingerpost::bihash_by_length {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{make_entry<A, fib<A>>(
        {.name = "bihash_by_length",
         .summary =
             "one hash table for all lengths, in pages of four entries, probed from the longest length",
         .source = "VPP's IPv6 FIB over bihash_24_8"})};
    return schemes;
}

} // namespace fingerpost::bihash_by_length
