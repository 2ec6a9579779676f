// What every lookup scheme offers: it is built once from routes, then it answers the longest match.
//
// What some schemes offer besides stands in headers of its own, as small concepts: patchable.hpp,
// syncable.hpp, saveable.hpp, inspectable.hpp, halves.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/rib/routes.hpp"
#include "fingerpost/simd/isa.hpp"
#include "fingerpost/simd/tuning.hpp"

namespace fingerpost {

// How to build, for schemes that have a choice. `isa` is one of simd::available_isas(): without a choice the
// best of this machine, or the one that FINGERPOST_ISA names. `tuning` is which of its kernels, where it has
// several: those that fit this CPU, or what FINGERPOST_TUNE says. With `hash_seed` the same routes give the
// same bytes each time; without it each hash table draws a key, so that an attacker who chooses the routes
// cannot make lookups slow.
struct build_options {
    simd::isa isa = simd::preferred_isa();
    simd::tuning tuning = simd::preferred_tuning();
    std::optional<std::uint64_t> hash_seed{};
    // Of the levels of a trie, for schemes whose name may tell them (registry/strides_in_name.hpp): they add
    // up to the width. Without them the scheme chooses.
    std::span<const std::uint8_t> strides{};
};

// Lookup is total: no route is next_hop::none. The batch form takes any length, `out` at least as long as
// `in`, and the two must not overlap. build() may throw std::bad_alloc and std::length_error.
template <class S, class A>
concept scheme = requires(const S s, const routes<A>& r, const build_options& options, A a,
                          std::span<const A> in, std::span<next_hop> out) {
    { S::build(r, options) } -> std::same_as<expected<S>>;
    { s.lookup(a) } noexcept -> std::same_as<next_hop>;
    { s.lookup(in, out) } noexcept;
    { s.memory_bytes() } -> std::same_as<std::size_t>;
};

// The batch form of a scheme that has nothing better than one address after the other.
template <class S, class A>
void lookup_each(const S& s, std::span<const A> in, std::span<next_hop> out) noexcept {
    for (std::size_t i = 0; i < in.size(); ++i)
        out[i] = s.lookup(in[i]);
}

} // namespace fingerpost
