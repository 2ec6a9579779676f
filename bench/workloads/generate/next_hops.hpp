// Assigns next hops to a table that has none, or replaces those that it has.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fingerpost/net/route.hpp"

namespace fingerpost::bench {

enum class dealing : std::uint8_t {
    unmerged, // up to 60,000 ids, and no two neighbouring elementary intervals merge: the worst case of a FIB
    unique,   // one id per route, its index: the worst case of enrichment
    clustered, // `hops` ids of skewed frequency, most routes with their cover's, as in ipv6-2014-linx
    random,    // `hops` ids with equal probability
};

// The number of ids that `unmerged` uses: less than 2^16 - 1, so that a FIB may store 16 bits and keep room
// for "none".
inline constexpr std::uint32_t unmerged_hops = 60'000;

struct dealing_policy {
    dealing how = dealing::clustered;
    std::uint32_t hops = 64;
};

// "unmerged", "unique", "clustered:N" or "random:N" with N from 1 to 2^32 - 1; nullopt for any other text.
std::optional<dealing_policy> parse_dealing(std::string_view text) noexcept;

// `sorted`: canonical routes in prefix order, each prefix once. The same routes, policy and seed give the
// same next hops everywhere; `unmerged` and `unique` do not depend on the seed. Throws std::bad_alloc.
template <class A>
void deal_next_hops(std::span<route<A>> sorted, const dealing_policy& policy, std::uint64_t seed = 1);

} // namespace fingerpost::bench
