// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/hash_by_length/hash_by_length.hpp"

namespace fingerpost::hash_by_length {

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{make_entry<A, fib<A>>(
        {.name = "hash_by_length",
         .summary = "one hash table for each length, probed only for lengths that occur near an address",
         .source = "VPP's IPv6 FIB, with fingerpost's own sets of lengths"})};
    return schemes;
}

} // namespace fingerpost::hash_by_length
