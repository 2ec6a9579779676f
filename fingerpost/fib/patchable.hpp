// Schemes with FIBs that can be changed without a rebuild.
//
// After any error of apply(), in all schemes, the FIB may only be destroyed or assigned to. It may contain a
// part of the change, so its results are not reliable, and the caller builds another one from the RIB. A
// scheme may guarantee more, but no caller may rely on that. apply_in_place() guarantees the opposite: if it
// fails, nothing has changed.
#pragma once

#include "fingerpost/fib/scheme.hpp"
#include "fingerpost/rib/change.hpp"

namespace fingerpost {

// Can apply a change while no thread reads the FIB.
//
// Several changes may be combined: each prefix occurs once, in any order. `before` is the state of this FIB,
// and all other members describe the state after the last change. Results are right once all of them are
// applied.
template <class S, class A>
concept patchable = scheme<S, A> && requires(S s, const change<A>& c) {
    { s.apply(c) } -> std::same_as<errc>;
};

// Minimum prefix length for which a scheme needs the affected ranges of a change. Shorter prefixes may have
// thousands of ranges. Default: 0.
template <class S>
constexpr unsigned min_length_with_ranges() noexcept {
    if constexpr (requires { S::min_length_with_ranges; })
        return S::min_length_with_ranges;
    else
        return 0;
}

// Can be patched while it is read. The scheme's file proves what a concurrent reader sees. No memory is moved
// for that, so the FIB is built with room to grow, and when it is full, apply_in_place() returns
// errc::capacity. Changes with a sum of needs() of at most room() always fit, in any order. Unlinked memory
// is kept until reclaim(version) reports that no reader of an earlier version is left.
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
