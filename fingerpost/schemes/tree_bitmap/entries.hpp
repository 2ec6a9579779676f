// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/tree_bitmap/split.hpp"
#include "fingerpost/schemes/tree_bitmap/tree_bitmap.hpp"

namespace fingerpost::tree_bitmap {

inline constexpr std::string_view source = "Eatherton, Dittia, Varghese, Tree bitmap, CCR 34(2), 2004";

constexpr scheme_facts variant(std::string_view name, std::string_view summary) {
    return {.name = name,
            .summary = summary,
            .source = source,
            .role = scheme_role::ablation,
            .vectorised = true};
}

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{
        make_entry<A, fib<A, 5>>(
            {.name = "tree_bitmap",
             .summary = "multibit trie with a bit for each prefix and each child of a node",
             .source = source,
             .vectorised = true}),
        make_entry<A, fib<A, 3>>(variant("tree_bitmap:3", "variant: strides of 3, nodes of 12 bytes")),
        make_entry<A, fib<A, 4>>(variant("tree_bitmap:4", "variant: strides of 4, nodes of 12 bytes")),
        make_entry<A, fib<A, 6>>(variant("tree_bitmap:6", "variant: strides of 6, nodes of 24 bytes")),
        make_entry<A, fib<A, 8>>(variant("tree_bitmap:8", "variant: strides of 8, nodes of 72 bytes")),
        make_entry<A, split_fib<A>>(
            variant("tree_bitmap:split", "variant: strides of 8, internal bitmaps in separate nodes"))};
    return schemes;
}

} // namespace fingerpost::tree_bitmap
