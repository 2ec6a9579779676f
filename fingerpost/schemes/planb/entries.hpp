// Registry entries of the schemes in this folder.
#pragma once

#include <array>
#include <span>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/planb/planb.hpp"

namespace fingerpost::planb {

inline constexpr std::string_view source = "Zhang et al., PlanB, NSDI 2026";

// A tree with the maximum number of levels.
template <unsigned Keys>
inline constexpr std::uint64_t most_intervals = [] {
    std::uint64_t most = Keys;
    for (unsigned level = 0; level < most_levels<Keys>; ++level)
        most *= Keys + 1;
    return most;
}();

template <class A>
std::span<const scheme_entry<A>> entries() noexcept {
    static constexpr std::array schemes{
        make_entry<A, fib<A>>(
            {.name = "planb",
             .summary = "predecessor search over elementary intervals in a linearized B+-tree, batched",
             .source = source,
             .role = scheme_role::baseline,
             .most_intervals = most_intervals<line_keys<key_of<A>>>,
             .vectorised = true}),
        make_entry<A, fib<A, search::lower_bound>>({
            .name = "planb:lower_bound",
            .old_name = "planb_lower_bound",
            .summary = "ablation: std::lower_bound on the sorted interval ends",
            .source = source,
            .role = scheme_role::ablation,
        }),
        make_entry<A, fib<A, search::scalar>>({
            .name = "planb:scalar",
            .old_name = "planb_scalar",
            .summary = "ablation: linearized tree, branch-free scalar code",
            .source = source,
            .role = scheme_role::ablation,
            .most_intervals = most_intervals<line_keys<key_of<A>>>,
        }),
        make_entry<A, fib<A, search::autovec>>(
            {.name = "planb:autovec",
             .old_name = "planb_autovec",
             .summary = "ablation: the scalar loop, vectorised by the compiler",
             .source = source,
             .role = scheme_role::ablation,
             .most_intervals = most_intervals<line_keys<key_of<A>>>,
             .vectorised = true}),
        make_entry<A, fib<A, search::simd>>(
            {.name = "planb:simd",
             .old_name = "planb_simd",
             .summary = "ablation: vector instructions, one address at a time",
             .source = source,
             .role = scheme_role::ablation,
             .most_intervals = most_intervals<line_keys<key_of<A>>>,
             .vectorised = true}),
        make_entry<A, fib<A, search::starts>>(
            {.name = "planb:starts",
             .old_name = "planb_starts",
             .summary = "variant: the paper's start keys instead of end keys",
             .source = source,
             .role = scheme_role::ablation,
             .most_intervals = most_intervals<line_keys<key_of<A>>>,
             .vectorised = true}),
        make_entry<A, fib<A, search::b_tree>>(
            {.name = "planb:b_tree",
             .summary =
                 "ablation: the paper's initial flat B-tree, in which lookups may end at an inner node",
             .source = source,
             .role = scheme_role::ablation,
             .vectorised = true}),
        make_entry<A, fib<A, search::batched, 2 * line_keys<key_of<A>>>>(
            {.name = "planb:wide",
             .old_name = "planb_wide",
             .summary = "variant: nodes of 128 bytes, for cache lines of that size",
             .source = source,
             .role = scheme_role::ablation,
             .most_intervals = most_intervals<2 * line_keys<key_of<A>>>,
             .vectorised = true})};
    return schemes;
}

} // namespace fingerpost::planb
