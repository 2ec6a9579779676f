// What every lookup scheme offers, as concepts: the small interface behind which all of them fit.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/rib/change.hpp"
#include "fingerpost/rib/routes.hpp"
#include "fingerpost/simd/dispatch.hpp"

namespace fingerpost {

// How to build, for schemes that have a choice. `kernels` is never null: the default is the best instruction
// set of this machine or the one that FINGERPOST_ISA names. With `hash_seed` the same routes give the same
// bytes each time; without it hash tables draw a key each, which is what keeps who chooses the routes from
// making lookups slow.
struct build_options {
    const simd::kernel_table* kernels = &simd::preferred_kernels();
    std::optional<std::uint64_t> hash_seed{};
};

// Built once from routes, then answers the longest match. Lookup is total: no route is next_hop::none. The
// batch form takes any length, `out` at least as long as `in`, and the two must not overlap.
template <class S, class A>
concept scheme = requires(const S s, const routes<A>& r, const build_options& options, A a,
                          std::span<const A> in, std::span<next_hop> out) {
    { S::build(r, options) } -> std::same_as<expected<S>>;
    { s.lookup(a) } noexcept -> std::same_as<next_hop>;
    { s.lookup(in, out) } noexcept;
    { s.memory_bytes() } -> std::same_as<std::size_t>;
};

// Can be brought up to date by one change while nobody reads it. After anything but errc::ok the FIB may only
// be destroyed or assigned to: it may have some of the change, so its answers are not to be trusted. The
// caller builds another one from the RIB. A scheme may promise more, but no caller may rely on it.
//
// Several changes may come coalesced: each prefix once, in any order, `before` as this FIB has it, and all
// the rest as it is after the last of them. The answers are right once all of them are applied.
template <class S, class A>
concept patchable = scheme<S, A> && requires(S s, const change<A>& c) {
    { s.apply(c) } -> std::same_as<errc>;
};

// The length from which on a scheme has to be told the ranges that a change decides; for what is shorter,
// which may be thousands of them, it may do without.
template <class S>
constexpr unsigned decided_from() noexcept {
    if constexpr (requires { S::decided_from; })
        return S::decided_from;
    else
        return 0;
}

// Of two FIBs that take turns in being published, the one that nobody reads can become what the other, the
// leader, is for less than what applying the same changes again takes. The leader may be read meanwhile. From
// then on it may not be changed before it has followed in turn.
//
// After anything but errc::ok the leader answers as before, and the FIB that was to follow may not be looked
// up in. Neither may be changed before it has followed somebody.
//
// What both read they may share. Then the changes since follow() show in lookups from reveal() on, which is
// called right before a FIB is published, one that was built as well, and after which it is not changed
// before it has followed in turn. As long as !is_settled() some lookups take longer than others; settle()
// ends that once no reader is left in the other one.
template <class S, class A>
concept followable = patchable<S, A> && requires(S s, S leader, const S fixed) {
    { s.follow(leader) } -> std::same_as<errc>;
    { s.reveal() } noexcept;
    { fixed.is_settled() } noexcept -> std::same_as<bool>;
    { s.settle() } noexcept;
};

// Can be patched while it is read; the scheme's file proves what a concurrent reader sees. No memory is moved
// for that, so it is built with room to grow, and where that ends apply_in_place() returns errc::capacity.
// As readers are in the FIB, apply_in_place() promises what apply() does not: when it fails nothing changes.
// Changes whose needs() are at most room() in all fit for certain, in any order. What a change unlinks is
// kept until reclaim(version) says that no reader is left who was there at a version below that one.
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

// The batch form of a scheme that has nothing better than one address after the other.
template <class S, class A>
void lookup_each(const S& s, std::span<const A> in, std::span<next_hop> out) noexcept {
    for (std::size_t i = 0; i < in.size(); ++i)
        out[i] = s.lookup(in[i]);
}

} // namespace fingerpost
