// Schemes whose FIBs take changes without being built anew.
//
// What a failed change leaves behind, the same for all schemes: after anything but errc::ok from apply() the
// FIB may only be destroyed or assigned to. It may have some of the change, so its answers are not to be
// trusted, and the caller builds another one from the RIB. A scheme may promise more, but no caller may rely
// on it. apply_in_place() promises the contrary: when it fails nothing has changed.
#pragma once

#include "fingerpost/fib/scheme.hpp"
#include "fingerpost/rib/change.hpp"

namespace fingerpost {

// Can be brought up to date by one change while no thread reads it.
//
// Several changes may come coalesced: each prefix once, in any order, `before` as this FIB has it, and all
// the rest as it is after the last of them. The answers are right once all of them are applied.
template <class S, class A>
concept patchable = scheme<S, A> && requires(S s, const change<A>& c) {
    { s.apply(c) } -> std::same_as<errc>;
};

// The prefix length from which on a scheme has to be told the ranges that a change affects. For shorter
// prefixes, which may have thousands of them, it may do without. 0 when the scheme says nothing.
template <class S>
constexpr unsigned min_length_with_ranges() noexcept {
    if constexpr (requires { S::min_length_with_ranges; })
        return S::min_length_with_ranges;
    else
        return 0;
}

// Can be patched while it is read; the scheme's file proves what a concurrent reader sees. No memory is moved
// for that, so it is built with room to grow, and where that ends apply_in_place() returns errc::capacity.
// Changes whose needs() are at most room() in all fit for certain, in any order. What a change unlinks is
// kept until reclaim(version) says that no reader is left from a version below that one.
template <class S, class A>
concept patchable_in_place =
    patchable<S, A> && requires(S s, const S fixed, const routes<A>& r, const build_options& options,
                                const change<A>& c, std::uint64_t version) {
        { S::build_in_place(r, options) } -> std::same_as<expected<S>>;
        { s.apply_in_place(c, version) } -> std::same_as<errc>;
        { fixed.room() } noexcept -> std::same_as<std::size_t>;
        { S::needs(c) } noexcept -> std::same_as<std::size_t>;
        { s.reclaim(version) } noexcept;
    };

} // namespace fingerpost
