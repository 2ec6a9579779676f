// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/hbs/hbs.hpp"

namespace fingerpost::hbs {

template <class A, class F>
constexpr scheme_entry<A> entry_of(std::string_view name, std::string_view summary, scheme_role role) {
    return make_entry<A, F>({.name = name,
                             .summary = summary,
                             .source = "reconstructed from Jiang et al., HBS, APNet 2023",
                             .role = role,
                             .most_next_hops = length_store<A>::most_codes - 1,
                             .vectorised = true,
                             .large_when_empty = summary.find("24 bits") != std::string_view::npos});
}

// For IPv4, a front of 2^24 slots would be a direct table of most routes, so only longer addresses have this
// variant.
template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    constexpr auto study = scheme_role::ablation;
    static constexpr std::array schemes{
        entry_of<A, fib<A>>("hbs",
                            "binary search on lengths that skips lengths without a route below the marker",
                            scheme_role::standard),
        entry_of<A, fib<A, tree_kind::weighted>>(
            "hbs:weighted", "variant: the tree of lengths with the smallest average depth of routes", study),
        entry_of<A, fib<A, tree_kind::fewest_probes, 16>>(
            "hbs:front_16", "variant: an array indexed by the first 16 bits before the search", study)};
    if constexpr (A::bits > 64) {
        static constexpr std::array more{
            schemes[0], schemes[1], schemes[2],
            entry_of<A, fib<A, tree_kind::fewest_probes, 24>>(
                "hbs:front_24", "variant: an array indexed by the first 24 bits, for the /3 with most routes",
                study)};
        return more;
    } else {
        return schemes;
    }
}

} // namespace fingerpost::hbs
