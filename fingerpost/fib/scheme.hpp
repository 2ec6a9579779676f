// Interface of every lookup scheme: it is built once from routes, then it finds longest matches.
//
// Optional features are separate small concepts: patchable.hpp, syncable.hpp, saveable.hpp, inspectable.hpp,
// halves.hpp.
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

// Options for schemes that have a choice. `isa` is one of simd::available_isas(); the default is the best of
// this machine or the one in FINGERPOST_ISA. `tuning` selects among several kernels; the default is the
// tuning of this CPU or FINGERPOST_TUNE. With `hash_seed`, the same routes always give the same bytes.
// Without it, each hash table has a random key, so that an attacker who chooses the routes cannot slow down
// lookups.
struct build_options {
    simd::isa isa = simd::preferred_isa();
    simd::tuning tuning = simd::preferred_tuning();
    std::optional<std::uint64_t> hash_seed{};
    // Strides of the levels of a trie, for schemes that accept them in their name
    // (registry/strides_in_name.hpp). Their sum is the width. If empty, the scheme chooses.
    std::span<const std::uint8_t> strides{};
};

// Lookups always have a result: next_hop::none means "no route". A batch may have any size; `out` is at least
// as long as `in` and must not overlap it. build() may throw std::bad_alloc and std::length_error.
template <class S, class A>
concept scheme = requires(const S s, const routes<A>& r, const build_options& options, A a,
                          std::span<const A> in, std::span<next_hop> out) {
    { S::build(r, options) } -> std::same_as<expected<S>>;
    { s.lookup(a) } noexcept -> std::same_as<next_hop>;
    { s.lookup(in, out) } noexcept;
    { s.memory_bytes() } -> std::same_as<std::size_t>;
};

// Batch lookup for schemes without a faster way than one address after the other.
template <class S, class A>
void lookup_each(const S& s, std::span<const A> in, std::span<next_hop> out) noexcept {
    for (std::size_t i = 0; i < in.size(); ++i)
        out[i] = s.lookup(in[i]);
}

} // namespace fingerpost
